import { expect, test } from "vitest";
import { expireLock } from "../../support/cluster/expire-lock.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { configMap } from "../../support/cluster/workloads.ts";
import { startAnsweringServer } from "../../support/servers/answering-server.ts";
import { checkedIn } from "./checked-in.ts";

/** Tests checks of Prometheus: docs/reference/checks.md#prometheus */
const cluster = useCluster();

const vector = (value: string) =>
  JSON.stringify({
    status: "success",
    data: { resultType: "vector", result: [{ metric: { job: "web" }, value: [1, value] }] },
  });

const query = 'sum(rate(errors{job="web"}[1m]))';

test("a query beyond its limit keeps the old objects; an address gets the value of a Secret and nothing of the cluster", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer({ body: vector("0.5") });
  demo.declare({ app: configMap("old") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  await demo.kubectl("create", "secret", "generic", "keys", "--from-literal=token=hunter2hunter2");
  const headers = { Authorization: { secret: "keys", key: "token", prefix: "Bearer " } };
  const timing = { interval: "200ms", timeout: "2s" };
  demo.check({
    name: "errors",
    prometheus: { url: `${server.address}/prometheus`, query, max: 0.01, headers, ...timing },
  });
  demo.declare({ app: configMap("new") });
  const preview = await demo.qvs("diff");
  expect(preview.stdout).toContain("1 check runs before qvs deletes anything");
  expect(server.requests).toEqual([]);

  const failed = await demo.qvs("deploy");
  expect(failed.code, failed.stderr).toBe(1);
  expect(failed.stderr).toContain("0.5 instead of at most 0.01");
  expect(failed.stderr).not.toContain("hunter2");
  expect(await demo.configMaps()).toEqual(["configmap/new", "configmap/old"]);
  const [request] = server.requests;
  expect(request?.path).toBe(`/prometheus/api/v1/query?query=${encodeURIComponent(query)}`);
  expect(request?.headers.authorization).toBe("Bearer hunter2hunter2");
  expect(
    Object.keys(request?.headers ?? {}).filter((name) => /remote|impersonate/.test(name)),
  ).toEqual([]);

  server.answer({ status: 302, headers: { location: "http://169.254.169.254/" } });
  expect((await demo.qvs("deploy")).stderr).toContain("the query failed");

  server.answer({ body: vector("0.001") });
  const passed = await demo.qvs("deploy");
  expect(passed.stdout, passed.stderr).toBe("demo release 4 succeeded\n");
  expect(await demo.configMaps()).toEqual(["configmap/new"]);
});

test("a check through the API server asks Prometheus at the path of its Service", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer({ body: vector("3") });
  await demo.serve("prometheus", server);
  demo.check({
    name: "up",
    prometheus: { service: "prometheus", port: 80, query: "up", min: 1, max: 3, timeout: "3s" },
  });
  demo.declare({ app: configMap("web") });
  const { stdout, stderr } = await demo.qvs("deploy");
  expect(stdout, stderr).toBe("demo release 1 succeeded\n");
  expect(server.requests.map(({ path }) => path)).toEqual(["/api/v1/query?query=up"]);
});

test("a canceled run ends its query and deletes nothing; after a killed one, the next run starts the window again", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer({ delay: 600_000 });
  demo.declare({ app: configMap("old") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  const timing = { interval: "200ms", window: "2s", timeout: "10m" };
  demo.check({ name: "errors", prometheus: { url: server.address, query, max: 0.01, ...timing } });
  demo.declare({ app: configMap("new") });
  const both = ["configmap/new", "configmap/old"];

  const canceled = demo.start("deploy");
  await expect.poll(() => server.requests.length, { timeout: 60_000 }).toBe(1);
  canceled.child.kill("SIGINT");
  const { code, stdout } = await canceled.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "demo release 2 canceled\n" });
  expect(await demo.configMaps()).toEqual(both);

  server.answer({ body: vector("0.5") });
  const killed = demo.start("deploy");
  await killed.says("/errors: waiting: 0.5 instead of at most 0.01");
  killed.child.kill("SIGKILL");
  await killed.result;
  expect(await demo.configMaps()).toEqual(both);
  await expireLock(cluster, demo.namespace);
  const before = server.requests.length;
  server.answer({ body: vector("0.001") });
  const next = await demo.qvs("deploy");
  expect(next.stdout, next.stderr).toMatch(/^demo release \d succeeded\n$/);
  expect(await demo.configMaps()).toEqual(["configmap/new"]);
  expect(server.requests.length - before).toBeGreaterThan(2);
  const shown = await demo.qvs("releases", "show", "4");
  expect(shown.stdout).toMatch(
    /passed +Check errors +prometheus, .*limit at most 0.01, value 0.001/,
  );
});
