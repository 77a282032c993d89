import { type AddressInfo, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { openCluster } from "../../../../src/io/kubernetes/cluster.ts";
import type { Pace } from "../../../../src/io/kubernetes/transport/limits.ts";
import type { ApiResult } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import {
  connectionTo,
  cut,
  quickPace,
  type Scripted,
  scriptedApi,
  silence,
  status,
} from "../../../support/servers/scripted-api.ts";

const address = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "settings" };
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop" },
  data: { colour: "green" },
};
const live: KubeObject = {
  ...settings,
  metadata: { ...settings.metadata, uid: "u-1", resourceVersion: "7" },
};
const others: KubeObject = { ...live, data: { colour: "red" } };
const found = { json: live };
const broken = status(500, "InternalError", "etcd is busy");
const undeclared = status(500, "", ".datta: field not declared in schema");
const starting = status(503, "ServiceUnavailable", "starting");
const busy: Scripted = {
  ...status(429, "TooManyRequests", "slow down"),
  headers: { "Retry-After": "7" },
} as Scripted;
const taken = status(409, "AlreadyExists", 'configmaps "settings" already exists');
const outdated = status(409, "Conflict", "the object has been modified");
const absent = status(404, "NotFound", 'configmaps "settings" not found');

type Verb = (cluster: Cluster) => Promise<ApiResult<unknown>>;
const read: Verb = (cluster) => cluster.read(address);
const create: Verb = (cluster) => cluster.create(settings);
const replace: Verb = (cluster) => cluster.replace(live);
const remove: Verb = (cluster) => cluster.delete(address, "u-1");
const removeVersion: Verb = (cluster) => cluster.delete(address, "u-1", "41");
const apply: Verb = (cluster) =>
  cluster.apply(settings, { fieldManager: "qvs-shop-app", dryRun: false, force: false });

/** Returns the reason of the failure, or ok; then the methods of all requests. */
async function outcome(verb: Verb, script: readonly Scripted[], pace: Pace = quickPace()) {
  const api = await scriptedApi(script);
  const cluster = openCluster(connectionTo(api), pace);
  const answer = await verb(cluster);
  cluster.close();
  const methods = api.lines().map((line) => line.split(" ")[0]);
  return `${answer.ok ? "ok" : answer.failure.reason} after ${methods.join(" ")}`;
}

const cases: readonly (readonly [string, Verb, readonly Scripted[], string])[] = [
  ["a read is repeated after a server error", read, [broken, found], "ok after GET GET"],
  ["a read is repeated after a cut connection", read, [cut, cut, found], "ok after GET GET GET"],
  ["the number of attempts is limited", read, [starting], "other after GET GET GET GET"],
  ["a server error is repeated less often", read, [broken], "other after GET GET GET"],
  ["a lasting cut is reported", read, [cut], "unreachable after GET GET GET GET"],
  ["an unknown field isn't repeated", apply, [undeclared], "invalid after PATCH"],
  [
    "a rejected request isn't repeated",
    read,
    [status(403, "Forbidden", "no")],
    "forbidden after GET",
  ],
  ["an absent object isn't a failure", read, [absent], "ok after GET"],
  ["an answer that isn't an object is a failure", read, [{ json: "hello" }], "other after GET"],
  ["an apply is repeated after a cut", apply, [cut, found], "ok after PATCH PATCH"],
  ["an apply is repeated after 429", apply, [busy, found], "ok after PATCH PATCH"],
  ["a field conflict isn't repeated", apply, [outdated], "conflict after PATCH"],
  ["a creation of an existing object fails", create, [taken], "already-exists after POST"],
  [
    "a creation before the cut is recognized",
    create,
    [cut, taken, found],
    "ok after POST POST GET",
  ],
  [
    "a creation is repeated if it didn't happen before the cut",
    create,
    [cut, found],
    "ok after POST POST",
  ],
  [
    "a creation fails if another object was created after the cut",
    create,
    [cut, taken, { json: others }],
    "already-exists after POST POST GET",
  ],
  [
    "the outcome of a creation after 429 is certain",
    create,
    [busy, taken],
    "already-exists after POST POST",
  ],
  [
    "a replacement before the cut is recognized",
    replace,
    [cut, outdated, found],
    "ok after PUT PUT GET",
  ],
  [
    "a replacement that another client has overwritten is a conflict",
    replace,
    [cut, outdated, { json: others }],
    "conflict after PUT PUT GET",
  ],
  ["a replacement of an outdated object is a conflict", replace, [outdated], "conflict after PUT"],
  ["the deletion of a missing object isn't a failure", remove, [absent], "ok after DELETE"],
  ["a deletion before the cut is recognized", remove, [cut, absent], "ok after DELETE DELETE"],
  ["the deletion of a recreated object is a conflict", remove, [outdated], "conflict after DELETE"],
  [
    "the object was deleted before the connection ended, and another tool recreated it",
    remove,
    [broken, outdated],
    "ok after DELETE DELETE",
  ],
  [
    "the version that changed before or after the connection ended might still exist",
    removeVersion,
    [cut, outdated],
    "conflict after DELETE DELETE",
  ],
];

test.each(cases)("%s", async (_, verb, script, expected) => {
  expect(await outcome(verb, script)).toBe(expected);
});

test("a replacement of managedFields has an unknown outcome, since qvs can't compare them", async () => {
  const metadata = { ...live.metadata, managedFields: [] };
  const verb: Verb = (cluster) => cluster.replace({ ...live, metadata });
  expect(await outcome(verb, [cut, outdated, found])).toBe("conflict after PUT PUT");
});

test("qvs obeys Retry-After and limits excessive values", async () => {
  const slept: number[] = [];
  const absurd: Scripted = { status: 503, headers: { "Retry-After": "86400" }, json: {} };
  await outcome(read, [busy, absurd, found], quickPace(slept));
  expect(slept).toEqual([7_000, 30_000]);
});

test("a silent API server is reported after the timeout", { tags: "slow" }, async () => {
  const api = await scriptedApi([silence]);
  const pace = quickPace([], { answerTimeout: 250, attempts: 2 });
  const cluster = openCluster(connectionTo(api), pace);
  await cluster.kind("v1", "ConfigMap");
  const answer = await read(cluster);
  cluster.close();
  expect(answer).toMatchObject({
    failure: {
      message: `${new URL(api.server).host} can't be reached: it didn't answer in time (ABORT_ERR)`,
    },
  });
  expect(api.received).toHaveLength(2);
});

test("a connection that isn't established times out before an answer would", async () => {
  const deaf = createServer();
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void deaf.close());
  const { port } = deaf.address() as AddressInfo;
  const api = { server: `https://127.0.0.1:${port}` };
  const cluster = openCluster(
    connectionTo(api as never),
    quickPace([], { connectTimeout: 20, firstContactAttempts: 2 }),
  );
  const answer = await read(cluster);
  cluster.close();
  expect(answer).toMatchObject({
    failure: {
      message: `127.0.0.1:${port} can't be reached: the connection timed out (ETIMEDOUT)`,
    },
  });
});

test("an API server that has never answered times out sooner", async () => {
  const api = await scriptedApi([cut], {});
  const cluster = openCluster(connectionTo(api), quickPace([], { firstContactAttempts: 2 }));
  expect((await read(cluster)).ok).toBe(false);
  cluster.close();
  expect(api.lines()).toEqual(["GET /api", "GET /api"]);
});

test("qvs repeats a request with an incomplete answer", async () => {
  const half: Scripted = (response) => {
    response.writeHead(200, { "Content-Length": "1000" });
    response.write('{"apiVersion":');
    setImmediate(() => response.destroy());
  };
  expect(await outcome(read, [half, found])).toBe("ok after GET GET");
});

test("a compressed answer is decompressed, and a cut in it is detected", async () => {
  const zipped = gzipSync(JSON.stringify(live));
  const headers = { "Content-Encoding": "gzip" };
  const whole: Scripted = (response) => void response.writeHead(200, headers).end(zipped);
  const half: Scripted = (response) => {
    response.writeHead(200, headers).write(zipped.subarray(0, 40));
    setImmediate(() => response.destroy());
  };
  const ended: Scripted = (response) =>
    void response.writeHead(200, headers).end(zipped.subarray(0, 40));
  expect(await outcome(read, [half, ended, whole])).toBe("ok after GET GET GET");
});

test("qvs doesn't repeat the lookup of an unknown host name", async () => {
  const api = { server: "https://no-such-host.invalid:6443" };
  const cluster = openCluster(connectionTo(api as never), quickPace());
  const answer = await read(cluster);
  cluster.close();
  expect(answer).toMatchObject({
    failure: {
      reason: "unreachable",
      message: expect.stringMatching(/^no-such-host.invalid:6443 can't be reached: /),
    },
  });
});

test("a closed port is reported", async () => {
  const api = { server: "http://127.0.0.1:9" };
  const cluster = openCluster(connectionTo(api as never), quickPace());
  const answer = await read(cluster);
  cluster.close();
  expect(answer).toMatchObject({
    failure: {
      message: "127.0.0.1:9 can't be reached: nothing listens at this address (ECONNREFUSED)",
    },
  });
});

test("closing cancels running requests, and qvs repeats none", async () => {
  const api = await scriptedApi([silence]);
  const cluster = openCluster(connectionTo(api), quickPace());
  await cluster.kind("v1", "ConfigMap");
  const reading = read(cluster);
  await expect.poll(() => api.received.length).toBe(1);
  cluster.close();
  expect(await reading).toMatchObject({
    failure: {
      reason: "unreachable",
      message: expect.stringContaining("qvs closed the connection"),
    },
  });
  expect((await read(cluster)).ok).toBe(false);
  expect(api.received).toHaveLength(1);
});

test("a proxy fetches from the API server", async () => {
  const proxy = await scriptedApi([found], {});
  const away = { server: "http://cluster.invalid:8080", proxy: { HTTP_PROXY: proxy.server } };
  const cluster = openCluster(connectionTo(proxy, away), quickPace());
  await cluster.kind("v1", "ConfigMap");
  cluster.close();
  expect(proxy.lines()[0]).toBe("GET http://cluster.invalid:8080/api");
});

test("a 401 renews the credential once for all affected requests", async () => {
  const check: Scripted = (response, request) => {
    const welcome = request.headers.authorization === "Bearer second";
    response.writeHead(welcome ? 200 : 401).end(JSON.stringify(live));
  };
  const api = await scriptedApi([check]);
  let generation = 0;
  const credentials = async () => ({
    generation,
    headers: { Authorization: generation === 0 ? "Bearer first" : "Bearer second" },
    cert: undefined,
    key: undefined,
  });
  const renewedCredentials = async (stale: { generation: number }) => {
    if (stale.generation === generation) generation += 1;
    return credentials();
  };
  const cluster = openCluster(connectionTo(api, { credentials, renewedCredentials }), quickPace());
  const answers = await Promise.all([1, 2, 3].map(() => read(cluster)));
  cluster.close();
  expect(answers.every((answer) => answer.ok)).toBe(true);
  expect(generation).toBe(1);
});

test("a credential that is rejected after a renewal is a failure", async () => {
  expect(await outcome(read, [status(401, "Unauthorized", "Unauthorized")])).toBe(
    "unauthorized after GET GET",
  );
});

test.each<[title: string, header: string | readonly string[], expected: readonly string[]]>([
  ["one", '299 - "v1 Endpoints is deprecated"', ["v1 Endpoints is deprecated"]],
  ["several in one header, each once", '299 - "a", 299 k8s "b, c" , 299 - "a"', ["a", "b, c"]],
  ["several headers", ['299 - "a"', '299 - "b"'], ["a", "b"]],
  [
    "with quotes, a date and a line break",
    '299 - "say \\"x\\" \\\\" "Sun, 06 Nov 1994 08:49:37 GMT"',
    ['say "x" \\'],
  ],
  ["other codes and unreadable ones", '110 - "stale", 299 -, 299 "a", 299 - "open', []],
  ["text beyond ASCII", Buffer.from('299 - "früh"').toString("latin1"), ["früh"]],
  ["too many", Array.from({ length: 40 }, (_, i) => `299 - "${i}"`), [..."0123456789"]],
  ["too long", `299 - "${"x".repeat(1000)}"`, [`${"x".repeat(400)}…`]],
])("warnings of the API server: %s", async (_, header, expected) => {
  const answered: Scripted = (response) => {
    response.writeHead(200, { "Content-Type": "application/json", Warning: header as string });
    response.end(JSON.stringify(live));
  };
  const api = await scriptedApi([answered]);
  const answer = await apply(openCluster(connectionTo(api), quickPace()));
  expect(answer.warnings ?? []).toEqual(expected);
});
