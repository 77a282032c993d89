import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { configMap } from "../../support/cluster/workloads.ts";
import { startAnsweringServer } from "../../support/servers/answering-server.ts";
import { checkedIn } from "./checked-in.ts";

/** Checks of HTTP servers: docs/reference/checks.md#http */
const cluster = useCluster();

test("a Service that doesn't answer as expected keeps the old objects, until it does", async () => {
  const demo = await checkedIn(cluster);
  const server = await startAnsweringServer();
  demo.declare({ app: configMap("old") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  await cluster.apply(demo.namespace, server.service("web"));

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
