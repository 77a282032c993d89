import { expect, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";

/** Tests deploy --on-failure=rollback: docs/reference/deployment.md#rollback-after-a-failure */
const cluster = useCluster();

const web = (image: string, annotations = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  progressDeadlineSeconds: 600
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {${annotations}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: "${image}", envFrom: [{configMapRef: {name: settings}}]}]
`;
const config = (name: string, value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {value: "${value}"}
`;
const migration = `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {vs.axis-dev.io/migration: "orders: adds totals"}}
spec:
  backoffLimit: 0
  template:
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "acme/migrate:1"}]}
`;
const hangs = "test.qvs/behaviour: never-ready";

test("a blocked rollout is rolled back to the old image with all changes of the run and no others, but not across a migration", async () => {
  const demo = await manifestsIn(cluster);
  const value = (name: string) =>
    demo.kubectl("get", "configmap", name, "-o", "jsonpath={.data.value}");
  const image = () =>
    demo.kubectl(
      "get",
      "deployment",
      "web",
      "-o",
      "jsonpath={.spec.template.spec.containers[0].image}",
    );
  const before = {
    appSetup: `${config("settings", "old")}---\n${config("stable", "declared")}`,
    app: web("acme/web:1"),
  };
  demo.declare(before);
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });

  const setup = (more: string) =>
    `${config("settings", "new")}---\n${config("stable", "declared")}---\n${config("extra", "new")}${more}`;
  demo.declare({ appSetup: setup(""), app: web("acme/web:2", hangs) });
  const running = demo.start("deploy", "--on-failure=rollback", "--timeout", "4s");
  await running.says("Recorded as release 2");
  // Another user changes an object that this run hasn't changed. The rollback must not touch it.
  const byHand = JSON.stringify({ data: { value: "by hand" } });
  await demo.kubectl("patch", "configmap", "stable", "--type=merge", "-p", byHand);
  const failed = await running.result;
  expect(failed.code).toBe(1);
  expect(failed.stdout).toBe(
    "demo release 2 failed, release 3 succeeded (rollback to release 1)\n",
  );
  expect(failed.stderr).toContain("Restoring release 1");
  expect(failed.stderr).toContain("Release 3 restored release 1 after the failure");
  expect([await image(), await value("settings")]).toEqual(["acme/web:1", "old"]);
  expect(await demo.kubectl("get", "configmap", "extra", "--ignore-not-found")).toBe("");
  expect(await value("stable")).toBe("by hand");
  demo.declare(before);
  const again = await demo.qvs("deploy", "--conflicts=force");
  expect(again.stdout, again.stderr).toBe("demo release 4 succeeded\n");

  demo.declare({ appSetup: setup(`---\n${migration}`), app: web("acme/web:2", hangs) });
  const refused = await demo.qvs("deploy", "--on-failure=rollback", "--timeout", "4s");
  expect(refused.code).toBe(1);
  expect(refused.stdout).toBe("demo release 5 failed\n");
  expect(refused.stderr).toContain(": The rollback after the failure was blocked");
  expect(refused.stderr).toContain("orders: adds totals");
  expect([await image(), await value("settings")]).toEqual(["acme/web:2", "new"]);
});
