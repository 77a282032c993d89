import { expect, test } from "vitest";
import { expireLock } from "../../support/cluster/expire-lock.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { configMap } from "../../support/cluster/workloads.ts";
import { startAnsweringServer } from "../../support/servers/answering-server.ts";
import { checkedIn } from "./checked-in.ts";

/** Tests checks of HTTP servers: docs/reference/checks.md#http */
const cluster = useCluster();

test("a Service that doesn't answer as expected keeps the old objects, until it does", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer();
  demo.declare({ app: configMap("old") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  await demo.serve("web", server);

  demo.check({
    name: "answers",
    http: {
      service: "web",
      port: 80,
      path: "/health?full=1",
      contains: "fine",
      interval: "200ms",
      timeout: "2s",
    },
  });
  demo.declare({ app: configMap("new") });
  server.answer({ status: 503, body: '{"state":"down","password":"hunter2hunter2"}' });
  const failed = await demo.qvs("deploy");
  expect(failed.code, failed.stderr).toBe(1);
  expect(failed.stderr).toContain("error[check-failed]: Check");
  expect(failed.stderr).toContain("status 503 instead of 200 to 299");
  expect(failed.stderr).toContain('body:    {"state":"down","password":"(hidden)"}');
  expect(failed.stderr).not.toContain("hunter2");
  expect(failed.stdout).toBe("demo release 2 failed\n");
  expect(await demo.configMaps()).toEqual(["configmap/new", "configmap/old"]);
  expect(server.requests.at(-1)?.path).toBe("/health?full=1");
  expect(server.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);

  server.answer({ body: "all is fine" });
  const passed = await demo.qvs("deploy");
  expect(passed.stdout, passed.stderr).toBe("demo release 3 succeeded\n");
  expect(await demo.configMaps()).toEqual(["configmap/new"]);
});

test("a failed check is rolled back with the checks of the restored release", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer({ body: "version 1" });
  await demo.serve("web", server);
  const check = (contains: string) => ({
    name: "version",
    http: { service: "web", port: 80, contains, interval: "200ms", timeout: "2s" },
  });
  demo.check(check("version 1"));
  demo.declare({ app: configMap("one") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  demo.check(check("version 2"));
  demo.declare({ app: configMap("two") });
  const { code, stdout, stderr } = await demo.qvs("deploy", "--on-failure=rollback");
  expect(code, stderr).toBe(1);
  expect(stdout).toBe("demo release 2 failed, release 3 succeeded (rollback to release 1)\n");
  expect(await demo.configMaps()).toEqual(["configmap/one"]);
  server.answer({ body: "version 3" });
  demo.check();
  demo.declare({ app: configMap("three") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  const back = await demo.qvs("rollback", "--to", "1");
  expect(back.stdout, back.stderr).toBe("demo release 5 failed (rollback to release 1)\n");
  expect(back.stderr).toContain("the body lacks the expected text");
  expect(await demo.configMaps()).toEqual(["configmap/one", "configmap/three"]);
});

test("a check of deployments.yaml runs next to those of the config, is recorded and part of the digest", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer({ body: "fine" });
  await demo.serve("web", server);
  const check = (name: string, path: string) => ({
    ...{ name, http: { service: "web", port: 80, path, interval: "200ms", timeout: "2s" } },
  });
  const digest = async () => JSON.parse((await demo.qvs("diff", "--format", "json")).stdout).digest;
  demo.check(check("config", "/config"));
  demo.declare({ app: configMap("one") });
  const before = await digest();
  demo.checkEntry(check("own", "/entry"));
  expect(await digest()).not.toBe(before);
  const passed = await demo.qvs("deploy");
  expect(passed.stdout, passed.stderr).toBe("demo release 1 succeeded\n");
  expect(server.requests.map(({ path }) => path).toSorted()).toEqual(["/config", "/entry"]);
  const shown = JSON.parse((await demo.qvs("releases", "show", "1", "--format", "json")).stdout);
  expect(shown.checks).toMatchObject([
    {
      name: "config",
      kind: "http",
      attempts: 1,
      evidence: [{ label: "status", value: "200" }, {}, {}],
    },
    { name: "own", kind: "http", attempts: 1 },
  ]);
  expect((await demo.qvs("releases", "show", "1")).stdout).toMatch(
    /passed +Check own +http, \d{4}-\S+, 1 request, status 200, latency \d+ ms, body fine\n/,
  );

  // A rollback runs the recorded checks.
  demo.checkEntry();
  demo.declare({ app: configMap("two") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  const requests = server.requests.length;
  expect(await demo.qvs("rollback", "--to", "1")).toMatchObject({ code: 0 });
  const repeated = server.requests.slice(requests).map(({ path }) => path);
  expect(repeated.toSorted()).toEqual(["/config", "/entry"]);

  demo.checkEntry(check("config", "/other"));
  const twice = await demo.qvs("deploy");
  expect(twice.code).toBe(1);
  expect(twice.stderr).toContain('Check name "config" is used twice');
  expect(twice.stderr).toContain(".valuestream/deployments.yaml:1:");
  expect(twice.stderr).toContain(".valuestream/qvs.yaml:1:");
});

test("a canceled run ends its check and deletes nothing; after a killed one, the next run repeats it", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer({ delay: 600_000 });
  await demo.serve("web", server);
  demo.declare({ app: configMap("old") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  demo.check({ name: "answers", http: { service: "web", port: 80 } });
  demo.declare({ app: configMap("new") });
  const both = ["configmap/new", "configmap/old"];

  const canceled = demo.start("deploy");
  await canceled.says("/answers: waiting");
  canceled.child.kill("SIGINT");
  const { code, stdout } = await canceled.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "demo release 2 canceled\n" });
  expect(await demo.configMaps()).toEqual(both);

  const killed = demo.start("deploy");
  await killed.says("/answers: waiting");
  killed.child.kill("SIGKILL");
  await killed.result;
  expect(await demo.configMaps()).toEqual(both);
  await expireLock(cluster, demo.namespace);
  server.answer({ body: "ok" });
  const next = await demo.qvs("deploy");
  expect(next.stdout, next.stderr).toMatch(/^demo release \d succeeded\n$/);
  expect(await demo.configMaps()).toEqual(["configmap/new"]);
});

test("the printed roles are enough for a check, and without them nothing is changed", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer();
  await demo.serve("web", server);
  demo.check({ name: "answers", http: { service: "web", port: 80, timeout: "3s" } });
  demo.declare({ app: configMap("web") });
  const printed = await demo.qvs("rbac", "deploy", "--subject", "user:deployer");
  expect(printed.stdout).toContain("web:80");
  const role = printed.stdout.replaceAll("web:80", "other:80");
  await cluster.apply(demo.namespace, role);
  const refused = await demo.qvsAs("deployer", "deploy");
  expect(refused.stderr).toContain("services/proxy");
  expect(refused.stderr).toContain("Nothing was changed.");
  expect(server.requests).toEqual([]);
  await cluster.apply(demo.namespace, printed.stdout);
  const { stdout, stderr } = await demo.qvsAs("deployer", "deploy");
  expect(stdout, stderr).toBe("demo release 1 succeeded\n");
});
