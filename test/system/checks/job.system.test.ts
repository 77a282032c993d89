import { expect, test } from "vitest";
import { expireLock } from "../../support/cluster/expire-lock.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { configMap } from "../../support/cluster/workloads.ts";
import { type Checked, checkedIn } from "./checked-in.ts";

/** Tests checks that run a Job: docs/reference/checks.md#job */
const cluster = useCluster();

const smoke = (behaviour: string, timeout = "60s") => ({
  name: "smoke",
  job: {
    timeout,
    template: {
      metadata: { annotations: { "test.qvs/behaviour": behaviour } },
      spec: { containers: [{ name: "main", image: "acme/smoke:1" }] },
    },
  },
});

async function jobs({ kubectl }: Checked): Promise<readonly string[]> {
  const columns = "custom-columns=N:.metadata.name,U:.metadata.uid";
  const found = await kubectl("get", "jobs", "-o", columns, "--no-headers");
  return found.split("\n").filter((line) => line.includes("-smoke-"));
}

/** Creates a release with the object `old`, and a config that replaces it with `new`. */
async function replacing(check: unknown): Promise<Checked> {
  const demo = await checkedIn(cluster);
  demo.declare({ app: configMap("old") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  demo.check(check);
  demo.declare({ app: configMap("new") });
  return demo;
}

test("a Job that fails keeps the old objects and is evidence; it isn't in the inventory, and the next success deletes earlier ones", async () => {
  const demo = await replacing(smoke("job-fails"));
  const failed = await demo.qvs("deploy");
  expect(failed.stdout, failed.stderr).toBe("demo release 2 failed\n");
  expect(failed.stderr).toMatch(/error\[[a-z-]+\]: Check \S+\/smoke: /);
  expect(failed.stderr).toMatch(/Pod demo-smoke-[0-9a-f]{10}-\w+: Failed/);
  expect(await demo.configMaps()).toEqual(["configmap/new", "configmap/old"]);
  const [before] = await jobs(demo);

  demo.check(smoke("none"));
  const passed = await demo.qvs("deploy");
  expect(passed.stdout, passed.stderr).toBe("demo release 3 succeeded\n");
  expect(await demo.configMaps()).toEqual(["configmap/new"]);
  const after = await jobs(demo);
  expect(after.length).toBe(1);
  expect(after).not.toContain(before);
  const shown = await demo.qvs("releases", "show", "3");
  expect(shown.stdout).toMatch(
    /passed +Check smoke +job, \S+, 1 Pod, job demo-smoke-\w{10}, compl/,
  );
  const release = await demo.qvs("get", "-o", "json").catch(() => undefined);
  expect(release?.stdout ?? "").not.toContain("-smoke-");

  const again = await demo.qvs("deploy");
  expect(again.stdout, again.stderr).toBe("demo release 3 unchanged\n");
  expect(await jobs(demo)).toEqual(after);

  const deleted = await demo.qvs("delete", "--yes");
  expect(deleted.code, deleted.stderr).toBe(0);
  expect(await jobs(demo)).toEqual([]);
});

test("a Job that doesn't end in time fails, and ends by its own deadline", async () => {
  const demo = await replacing(smoke("job-runs", "3s"));
  const failed = await demo.qvs("deploy");
  expect(failed.stdout, failed.stderr).toBe("demo release 2 failed\n");
  expect(failed.stderr).toMatch(/Check \S+\/smoke: /);
  expect(await demo.configMaps()).toEqual(["configmap/new", "configmap/old"]);
});

test("a canceled run deletes its Job and nothing else", async () => {
  const demo = await replacing(smoke("job-runs"));
  const running = demo.start("deploy");
  await running.says("/smoke: waiting: Job");
  running.child.kill("SIGINT");
  const { code, stdout } = await running.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "demo release 2 canceled\n" });
  await expect.poll(() => jobs(demo)).toEqual([]);
  expect(await demo.configMaps()).toEqual(["configmap/new", "configmap/old"]);
});

test("a killed run leaves its Job, and the next run waits for the same one", async () => {
  const demo = await replacing(smoke("job-runs"));
  const running = demo.start("deploy");
  await running.says("/smoke: waiting: Job");
  running.child.kill("SIGKILL");
  await running.result;
  const [left, ...others] = await jobs(demo);
  expect(others).toEqual([]);
  await expireLock(cluster, demo.namespace);
  const next = demo.start("deploy");
  await next.says("/smoke: waiting: Job");
  const [name = ""] = left?.split(/\s+/) ?? [];
  const pod = await demo.kubectl("get", "pods", "-l", `job-name=${name}`, "-o", "name");
  await demo.kubectl("annotate", pod.trim(), "test.qvs/behaviour-");
  const done = await next.result;
  expect(done.stdout, done.stderr).toBe("demo release 3 succeeded\n");
  expect(await jobs(demo)).toEqual([left]);
  expect(await demo.configMaps()).toEqual(["configmap/new"]);
});
