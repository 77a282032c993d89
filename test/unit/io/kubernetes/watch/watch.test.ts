import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { openCluster } from "../../../../../src/io/kubernetes/cluster.ts";
import { defaultBounds } from "../../../../../src/io/kubernetes/transport/limits.ts";
import type { Json } from "../../../../../src/model/json.ts";
import { idOf } from "../../../../../src/model/object.ts";
import {
  connectionTo,
  quickPace,
  type Scripted,
  scriptedApi,
  status,
} from "../../../../support/servers/scripted-api.ts";

function pod(name: string, version: number, uid = name): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", uid, resourceVersion: String(version) },
  };
}

function list(version: number, ...items: readonly Json[]): Scripted {
  return { json: { metadata: { resourceVersion: String(version) }, items } };
}

type Line = readonly [type: string, object: Json];

/** Answers a watch with these lines; then the watch ends, is cut, or stays open. */
function watching(lines: readonly Line[], then: "end" | "cut" | "stay" = "end"): Scripted {
  return (response) => {
    response.writeHead(200);
    response.flushHeaders();
    for (const [type, object] of lines) response.write(`${JSON.stringify({ type, object })}\n`);
    if (then !== "stay") setTimeout(() => finish(response, then), 5);
  };
}

function finish(response: ServerResponse, how: "end" | "cut"): void {
  if (how === "end") response.end();
  else response.destroy();
}

const stay = watching([], "stay");
const expiredStatus: Json = { kind: "Status", code: 410, reason: "Expired", message: "too old" };

/** Returns the first events of a watch as text, and the requests. */
async function follow(count: number, script: readonly Scripted[]) {
  const api = await scriptedApi(script);
  const cluster = openCluster(connectionTo(api), quickPace());
  const abort = new AbortController();
  const reported: string[] = [];
  for await (const answer of cluster.watch("v1", "Pod", "shop", abort.signal)) {
    reported.push(
      answer.ok ? `${answer.value.type} ${describe(answer.value.object)}` : answer.failure.reason,
    );
    if (reported.length === count) abort.abort();
  }
  cluster.close();
  const queries = api.lines().map((line) => new URLSearchParams(line.split("?")[1]));
  return {
    reported: reported,
    from: queries.map((query) => query.get("resourceVersion") ?? "list"),
  };
}

function describe(object: Parameters<typeof idOf>[0]): string {
  return `${idOf(object).name}@${object.metadata.resourceVersion}`;
}

test("the watch reports existing objects first, then changes", async () => {
  const changes: readonly Line[] = [
    ["MODIFIED", pod("a", 5)],
    ["ADDED", pod("b", 6)],
    ["DELETED", pod("a", 7)],
  ];
  const { reported } = await follow(4, [list(4, pod("a", 3)), watching(changes, "stay")]);
  expect(reported).toEqual(["ADDED a@3", "MODIFIED a@5", "ADDED b@6", "DELETED a@7"]);
});

test.each(["end", "cut"] as const)("the watch resumes after an %s", async (how) => {
  const first = watching([["MODIFIED", pod("a", 5)]], how);
  const second = watching([["MODIFIED", pod("a", 6)]], "stay");
  const { reported, from } = await follow(3, [list(4, pod("a", 3)), first, second]);
  expect(reported).toEqual(["ADDED a@3", "MODIFIED a@5", "MODIFIED a@6"]);
  expect(from).toEqual(["list", "4", "5"]);
});

test("a bookmark advances the resume position", async () => {
  const bookmark: Json = { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: "90" } };
  const quiet = watching([["BOOKMARK", bookmark]], "cut");
  const { reported, from } = await follow(1 + 1, [
    list(4, pod("a", 3)),
    quiet,
    watching([["DELETED", pod("a", 91)]], "stay"),
  ]);
  expect(reported).toEqual(["ADDED a@3", "DELETED a@91"]);
  expect(from).toEqual(["list", "4", "90"]);
});

const relisted = list(20, pod("a", 3), pod("b", 15), pod("c", 12, "another c"), pod("d", 18));
const filled = ["DELETED c@3", "DELETED gone@3", "MODIFIED b@15", "ADDED c@12", "ADDED d@18"];

test.each([
  ["an ERROR event", watching([["ERROR", expiredStatus]])],
  ["an answer", status(410, "Expired", "too old")],
])("after 410 in %s, a new list fills the gap", async (_, expired) => {
  const before = list(4, pod("a", 3), pod("b", 3), pod("c", 3), pod("gone", 3));
  const { reported } = await follow(9, [before, expired, relisted, stay]);
  expect(reported.slice(4)).toEqual(filled);
});

test("an incomplete line is reported when it is repeated", async () => {
  const half: Scripted = (response) => {
    response.writeHead(200);
    response.write('{"type":"MODIFIED","object":{"apiVer');
    setTimeout(() => response.destroy(), 5);
  };
  const whole = watching([["MODIFIED", pod("a", 5)]], "stay");
  const { reported } = await follow(2, [list(4, pod("a", 3)), half, whole]);
  expect(reported).toEqual(["ADDED a@3", "MODIFIED a@5"]);
});

test("reported events aren't reported again", async () => {
  const again = watching(
    [
      ["ADDED", pod("a", 3)],
      ["MODIFIED", pod("a", 5)],
    ],
    "stay",
  );
  const { reported } = await follow(2, [list(4, pod("a", 3)), again]);
  expect(reported).toEqual(["ADDED a@3", "MODIFIED a@5"]);
});

test("a temporary server error isn't reported", async () => {
  const busy = status(503, "ServiceUnavailable", "starting");
  const after = watching([["MODIFIED", pod("a", 5)]], "stay");
  const { reported } = await follow(2, [list(4, pod("a", 3)), busy, busy, after]);
  expect(reported).toEqual(["ADDED a@3", "MODIFIED a@5"]);
});

test("a persistent failure is reported, and the watch retries", async () => {
  const busy = status(503, "ServiceUnavailable", "starting");
  const after = watching([["MODIFIED", pod("a", 5)]], "stay");
  const { reported } = await follow(3, [list(4, pod("a", 3)), busy, busy, busy, busy, after]);
  expect(reported).toEqual(["ADDED a@3", "other", "MODIFIED a@5"]);
});

test("repeated disconnections aren't reported", async () => {
  const quiet = watching([], "cut");
  const after = watching([["MODIFIED", pod("a", 5)]], "stay");
  const cuts = Array.from({ length: 9 }, () => quiet);
  const { reported } = await follow(2, [list(4, pod("a", 3)), ...cuts, after]);
  expect(reported).toEqual(["ADDED a@3", "MODIFIED a@5"]);
});

test("the watch lists again after any error in the stream", async () => {
  const trouble: Json = { kind: "Status", code: 500, message: "etcd event is missing" };
  const reported = await follow(2, [
    list(4, pod("a", 3)),
    watching([["ERROR", trouble]]),
    list(9),
    stay,
  ]);
  expect(reported).toMatchObject({
    reported: ["ADDED a@3", "DELETED a@3"],
    from: ["list", "4", "list"],
  });
});

test("the watch pauses between attempts, within limits", async () => {
  const busy = status(503, "ServiceUnavailable", "starting");
  const api = await scriptedApi([list(4), busy, busy, busy, watching([["ADDED", pod("a", 5)]])]);
  const slept: number[] = [];
  const cluster = openCluster(connectionTo(api), quickPace(slept, { longestDelay: 3 }));
  const abort = new AbortController();
  for await (const _ of cluster.watch("v1", "Pod", "shop", abort.signal)) abort.abort();
  cluster.close();
  expect(slept).toHaveLength(3);
  expect(Math.max(...slept)).toBeLessThan(3);
});

test("a watch ends with its cluster", async () => {
  const api = await scriptedApi([list(4, pod("a", 3)), stay]);
  const cluster = openCluster(connectionTo(api), quickPace());
  const reported: boolean[] = [];
  const never = new AbortController().signal;
  for await (const answer of cluster.watch("v1", "Pod", "shop", never)) {
    reported.push(answer.ok);
    setTimeout(cluster.close, 5);
  }
  expect(reported).toEqual([true]);
});

test("a revoked permission is reported last", async () => {
  const { reported } = await follow(99, [
    list(4, pod("a", 3)),
    status(403, "Forbidden", "no watch"),
  ]);
  expect(reported).toEqual(["ADDED a@3", "forbidden"]);
});

test("a character that is split across two packets is complete", async () => {
  const line = Buffer.from(`${JSON.stringify({ type: "ADDED", object: pod("ü", 5) })}\n`);
  const middle = line.indexOf("ü") + 1;
  const split: Scripted = (response) => {
    response.writeHead(200);
    response.write(line.subarray(0, middle));
    setTimeout(() => response.write(line.subarray(middle)), 10);
  };
  expect((await follow(1, [list(4), split])).reported).toEqual(["ADDED ü@5"]);
});

/** Returns an object's metadata as the server sends it: with a separate kind. */
function partial(name: string, version: number): Json {
  const metadata = { name, namespace: "shop", uid: name, resourceVersion: String(version) };
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
}

async function followMetadata(count: number, script: readonly Scripted[], bounds = defaultBounds) {
  const api = await scriptedApi(script);
  const cluster = openCluster(connectionTo(api), quickPace(), bounds);
  const abort = new AbortController();
  const query = { apiVersion: "v1", kind: "Pod", namespace: "shop", labelSelector: "ours" };
  const reported: string[] = [];
  for await (const answer of cluster.watchMetadata(query, abort.signal)) {
    if (!answer.ok) reported.push(answer.failure.reason);
    else if (answer.value.type === "SYNCED") reported.push("SYNCED");
    else {
      const { type, object } = answer.value;
      reported.push(`${type} ${object.apiVersion} ${object.kind} ${describe(object)}`);
    }
    if (reported.length === count) abort.abort();
  }
  cluster.close();
  return { reported: reported, received: api.received };
}

test("a watch of metadata requests nothing else and reports the end of each list", async () => {
  const { reported, received } = await followMetadata(6, [
    list(4, partial("a", 3), partial("b", 3)),
    watching([
      ["MODIFIED", partial("a", 5)],
      ["ERROR", expiredStatus],
    ]),
    list(9, partial("a", 5)),
    stay,
  ]);
  expect(reported).toEqual([
    "ADDED v1 Pod a@3",
    "ADDED v1 Pod b@3",
    "SYNCED",
    "MODIFIED v1 Pod a@5",
    "DELETED v1 Pod b@3",
    "SYNCED",
  ]);
  for (const { line, headers } of received) {
    expect(line).toContain("labelSelector=ours");
    expect(headers.accept).toMatch(
      /^application\/json;as=PartialObjectMetadata(List)?;g=meta\.k8s\.io;v=v1$/,
    );
  }
});

test("a watch of metadata forgets deleted objects, so that its memory doesn't grow", async () => {
  const additions = Array.from({ length: 200 }, (_, index): Line[] => [
    ["ADDED", partial(`pod-${index}`, index + 10)],
    ["DELETED", partial(`pod-${index}`, index + 10)],
  ]).flat();
  const bounds = { ...defaultBounds, list: 2_000 };
  const { reported } = await followMetadata(401, [list(4), watching(additions, "stay")], bounds);
  expect(reported.at(-1)).toBe("DELETED v1 Pod pod-199@209");
});
