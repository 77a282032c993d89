import { expect, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";

/**
 * Tests objects that a correction must not create again, although their manifest is the same
 * (docs/reference/drift.md#correction).
 */
const cluster = useCluster();
const objects = (a: string) => `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {vs.axis-dev.io/migration: "drops column email"}}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "acme/migrate:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: report}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: report, image: "acme/report:1"}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data: {a: "${a}"}
`;

test("a correction runs no completed Job again, and creates no empty PersistentVolumeClaim without a flag", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: objects("1") });
  expect((await demo.qvs("deploy")).code).toBe(0);
  await demo.kubectl("delete", "jobs", "--all");
  const clean = await demo.qvs("drift");
  expect(clean.code).toBe(0);
  const note = `Job ${demo.namespace}/migrate no longer exists`;
  expect(clean.stdout).toContain(note);
  const untouched = await demo.qvs("reconcile");
  expect([untouched.code, await demo.kubectl("get", "jobs", "-o", "name")]).toEqual([0, ""]);

  await demo.kubectl("delete", "pvc", "data");
  await demo.kubectl("patch", "configmap", "other", "--type=merge", "-p", '{"data":{"a":"2"}}');
  const drift = await demo.qvs("drift");
  expect([drift.code, drift.stdout]).toEqual([
    2,
    expect.stringContaining(
      `PersistentVolumeClaim ${demo.namespace}/data is created again and is empty`,
    ),
  ]);
  const { deployments } = JSON.parse((await demo.qvs("drift", "--format", "json")).stdout);
  expect(deployments[0].findings.map(({ code }: { code: string }) => code)).toEqual(["data-lost"]);
  const refused = await demo.qvs("reconcile");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("--allow-irreversible"),
  ]);
  expect(await demo.kubectl("get", "pvc", "-o", "name")).toBe("");

  const allowed = await demo.qvs("reconcile", "--allow-irreversible");
  expect([allowed.code, allowed.stderr]).toEqual([0, expect.stringContaining("and is empty")]);
  expect(allowed.stdout).toContain("1 created");
  expect(await demo.kubectl("get", "jobs", "-o", "name")).toBe("");
});
