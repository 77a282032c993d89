import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { createGzip } from "node:zlib";
import { expect, test } from "vitest";
import { openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { type AnswerBounds, defaultBounds } from "../../../src/io/kubernetes/transport/limits.ts";
import type { ApiResult } from "../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import {
  connectionTo,
  defaultDiscovery,
  quickPace,
  type Scripted,
  scriptedApi,
} from "../../support/servers/scripted-api.ts";
import { attacks } from "../attack.ts";

/** A request to a hostile API server, which tries to exhaust the client's memory or time. */
interface Hostile {
  readonly name: string;
  readonly answer: Scripted;
  readonly discovery?: Readonly<Record<string, Scripted>>;
  readonly ask: (cluster: Cluster) => Promise<ApiResult<unknown>>;
  readonly says: RegExp;
  /** The time limit of one answer in milliseconds. */
  readonly patience?: number;
}

const address = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" };
const configMap: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "shop" },
};
const read = (cluster: Cluster) => cluster.read(address);
const list = (cluster: Cluster) => cluster.list("v1", "Pod", "shop");

const inputs: readonly Hostile[] = [
  {
    name: "an endless object",
    answer: endless('{"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{"a":"', "a"),
    ask: read,
    says: /^the API server answered GET \/api\/v1\/namespaces\/shop\/configmaps\/a with more than 4 MiB$/,
  },
  {
    name: "an endless compressed object",
    answer: endless('{"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{"a":"', "a", true),
    ask: read,
    says: /with more than 4 MiB$/,
  },
  {
    name: "an endless answer to a write",
    answer: endless("{", " "),
    ask: (cluster) => cluster.apply(configMap, { fieldManager: "t", force: false, dryRun: false }),
    says: /^the API server answered PATCH .* with more than 4 MiB$/,
  },
  {
    name: "an endless error",
    answer: endless('{"kind":"Status","message":"', "a", false, 403),
    ask: read,
    says: /with more than 1 MiB$/,
  },
  {
    name: "an endless page of a list",
    answer: endless('{"metadata":{"resourceVersion":"1"},"items":[', "{},"),
    ask: list,
    says: /^the API server answered GET \/api\/v1\/namespaces\/shop\/pods with more than 4 MiB$/,
  },
  {
    name: "endless pages",
    answer: page({ items: () => [], next: (count) => `${count}` }),
    ask: list,
    says: /^the API server answered the list of Pod with more than 50 pages$/,
  },
  {
    name: "the same page repeatedly",
    answer: page({ items: () => [{ metadata: { name: "a" } }], next: () => "same" }),
    ask: list,
    says: /^the API server answered the list of Pod with the same page again$/,
  },
  {
    name: "pages of large objects",
    answer: page({
      items: () => [{ metadata: { name: "a" }, data: "a".repeat(2 << 20) }],
      next: (count) => `${count}`,
    }),
    ask: list,
    says: /^the API server answered the list of Pod with more than 8 MiB$/,
  },
  {
    name: "an object of 100,000 levels",
    answer: {
      status: 200,
      text: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{},"x":${nested(100_000)}}`,
    },
    ask: read,
    says: /^the answer to GET .* nests deeper than 250 levels$/,
  },
  {
    name: "a list with an object of 300 levels",
    answer: {
      status: 200,
      text: `{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"},"x":${nested(300)}}]}`,
    },
    ask: list,
    says: /nests deeper than 250 levels$/,
  },
  {
    name: "endless discovery",
    answer: { json: {} },
    discovery: { "/api": endless('{"kind":"APIGroupDiscoveryList","items":[', "{},") },
    ask: read,
    says: /^the API server answered GET \/api\/v1 with more than|^the API server answered GET \/api with more than 4 MiB$/,
  },
  {
    name: "discovery of a thousand versions",
    answer: { json: { resources: [] } },
    discovery: {
      ...defaultDiscovery,
      "/api": {
        json: {
          kind: "APIVersions",
          versions: Array.from({ length: 1_000 }, (_, i) => `v${i}`),
        },
      },
    },
    ask: read,
    says: /^the API server lists more than 100 API versions$/,
  },
  {
    name: "endless redirects",
    answer: {
      status: 302,
      headers: { location: "/api/v1/namespaces/shop/configmaps/a" },
      text: "",
    },
    ask: read,
    says: /^HTTP 302$/,
  },
  {
    name: "endless headers",
    answer: { status: 200, headers: { "x-a": "a".repeat(100_000) }, text: "{}" },
    ask: read,
    says: /HPE_HEADER_OVERFLOW/,
  },
  {
    name: "a very slow answer",
    answer: (response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    },
    ask: read,
    says: /it didn't answer in time/,
    patience: 300,
  },
  {
    name: "an endless line of a watch",
    answer: watchOf(endless('{"type":"ADDED","object":{"a":"', "a")),
    ask: firstFailure,
    says: /^the API server answered the watch of Pod with a line of more than 1 MiB$/,
  },
  {
    name: "a watch of an object of 300 levels",
    answer: watchOf((response) =>
      response.write(
        `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{},"x":${nested(300)}}}\n`,
      ),
    ),
    ask: firstFailure,
    says: /^the API server answered the watch of Pod with an object that nests deeper than 250 levels$/,
  },
  {
    name: "a watch with endless new objects",
    answer: watchOf((response) => {
      let count = 0;
      pump(response, () => {
        count += 1;
        const metadata = { name: `a${count}`, uid: `${count}`, resourceVersion: `${count}` };
        const object = { apiVersion: "v1", kind: "Pod", metadata, x: "a".repeat(512 << 10) };
        return `${JSON.stringify({ type: "ADDED", object })}\n`;
      });
    }),
    ask: firstFailure,
    says: /^the API server answered the watch of Pod with more than 8 MiB of objects$/,
  },
];

/**
 * Smaller bounds than the real ones. The tests check that bounds exist, and the messages at a
 * bound.
 */
const bounds: AnswerBounds = {
  ...defaultBounds,
  answer: 4 << 20,
  refusal: 1 << 20,
  list: 8 << 20,
  pages: 50,
  line: 1 << 20,
  versions: 100,
};

attacks("bounds", "$name", inputs, async ({ answer, discovery, ask, says, patience = 20_000 }) => {
  const api = await scriptedApi([answer], discovery);
  const pace = quickPace([], { answerTimeout: patience });
  const cluster = openCluster(connectionTo(api), pace, bounds);
  const failed = await ask(cluster);
  cluster.close();
  expect(failed.ok ? "it was believed" : failed.failure.message).toMatch(says);
});

test("qvs stops reading endless compressed data at the real limit and never stores it", async () => {
  const api = await scriptedApi([endless("", "a", true)]);
  const cluster = openCluster(connectionTo(api), quickPace());
  const before = process.memoryUsage().rss;
  const failed = await read(cluster);
  cluster.close();
  expect(failed).toMatchObject({ failure: { reason: "beyond-bounds" } });
  expect(process.memoryUsage().rss - before).toBeLessThan(1024 ** 3);
});

/** Returns an answer that never ends and is sent as fast as it is read. */
function endless(start: string, more: string, zipped = false, status = 200): Scripted {
  return (response) => {
    const chunk = more.repeat(Math.ceil((256 << 10) / more.length));
    response.writeHead(status, zipped ? { "content-encoding": "gzip" } : {});
    const gzip = zipped ? createGzip({ level: 1 }) : undefined;
    gzip?.pipe(response);
    const out = gzip ?? response;
    out.write(start);
    pump(response, () => chunk, out);
  };
}

function pump(response: ServerResponse, next: () => string, out: Writable = response): void {
  const write = () => {
    if (response.destroyed) return;
    if (out.write(next())) setImmediate(write);
    else out.once("drain", write);
  };
  write();
}

function page({
  items,
  next,
}: {
  readonly items: () => readonly object[];
  readonly next: (count: number) => string;
}): Scripted {
  let count = 0;
  return (response) => {
    count += 1;
    const metadata = { resourceVersion: "1", continue: next(count) };
    response.end(JSON.stringify({ kind: "PodList", metadata, items: items() }));
  };
}

function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

/** Returns an empty list first, and then the answer to the watch. */
function watchOf(answer: Scripted): Scripted {
  return (response, request) => {
    if (!request.line.includes("watch=true")) {
      response.end('{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]}');
    } else if (typeof answer === "function") answer(response, request);
  };
}

async function firstFailure(cluster: Cluster): Promise<ApiResult<unknown>> {
  const stop = new AbortController();
  for await (const answer of cluster.watch("v1", "Pod", "shop", stop.signal)) {
    if (answer.ok) continue;
    stop.abort();
    return answer;
  }
  throw new Error("The watch has ended without a failure.");
}
