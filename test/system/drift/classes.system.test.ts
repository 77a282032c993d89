import { afterAll, expect, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/**
 * Tests changes of objects other than edits, each class once, on a real control plane
 * (docs/reference/drift.md#kinds).
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

const map = (name: string, metadata = "") =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${metadata}}, data: {a: b}}`;

const workload = (name: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: web, image: "web:1"}]}
`;

const definition = (place: string) => `{
  apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gadgets.${place}.example},
  spec: {group: ${place}.example, scope: Namespaced, names: {plural: gadgets, singular: gadget, kind: Gadget},
    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}]}}`;

const opaque = `{apiVersion: v1, kind: Secret, metadata: {name: retyped}, type: Opaque, stringData: {key: hunter2-recorded}}`;

test("a difference without an edit is reported with its cause and corrected", async ({
  onTestFinished,
}) => {
  const demo = await manifestsIn(cluster, undefined, {
    onFinished: onTestFinished,
    run: (folder, args, env) => runHere(folder, args, compiler, env),
  });
  const { kubectl, namespace } = demo;
  demo.write("crd.yaml", definition(namespace));
  await kubectl("apply", "--server-side", "-f", `${demo.directory}/crd.yaml`);
  await kubectl("wait", "--for=condition=Established", `crd/gadgets.${namespace}.example`);
  onTestFinished(
    async () => void (await kubectl("delete", `crd/gadgets.${namespace}.example`).catch(() => {})),
  );
  const gadget = `{apiVersion: ${namespace}.example/v1, kind: Gadget, metadata: {name: g}, spec: {size: 1}}`;
  const maps = ["cleared", "unlabelled", "recreated", "moved", "owner", "dying"].map((name) =>
    map(name),
  );
  const objects = [
    ...maps,
    map("named", ", labels: {team: blue}"),
    opaque,
    workload("scaled"),
    workload("paused"),
  ];
  demo.declare({ app: [...objects, gadget].join("\n---\n") });
  const told = async (command: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await demo.qvs(command, ...more);
    return `${stdout}${stderr}exit ${code}`
      .replaceAll(namespace, "demo")
      .replace(/since 20[-:\dTZ]+/g, "since TIME");
  };
  expect(await told("deploy", "--quiet")).toBe("demo release 1 succeeded\nexit 0");

  const noManagers = `[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`;
  await kubectl("patch", "configmap", "cleared", "--type=json", "-p", noManagers);
  await kubectl("label", "configmap", "unlabelled", "vs.axis-dev.io/deployment-");
  await kubectl("label", "configmap", "named", "team-");
  await kubectl("delete", "configmap", "recreated");
  await kubectl("create", "configmap", "recreated", "--from-literal=a=b");
  await kubectl("delete", "secret", "retyped");
  await kubectl(
    "create",
    "secret",
    "generic",
    "retyped",
    "--type=example/other",
    "--from-literal=key=hunter3-live",
  );
  const owner = await kubectl("get", "configmap", "owner", "-o", "jsonpath={.metadata.uid}");
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner };
  await kubectl(
    "patch",
    "configmap",
    "moved",
    "-p",
    JSON.stringify({ metadata: { ownerReferences: [reference] } }),
  );
  await kubectl(
    "patch",
    "configmap",
    "dying",
    "-p",
    `{"metadata":{"finalizers":["example.com/hangs"]}}`,
  );
  await kubectl("delete", "configmap", "dying", "--wait=false");
  await kubectl("scale", "deployment", "scaled", "--replicas=3");
  await kubectl("rollout", "pause", "deployment/paused");
  await demo.writes();

  // The API server records no time for the scale subresource, and no user for a removal.
  const drifted = `~ changed    Deployment demo/scaled
    spec.replicas: 3 instead of 1 (kubectl)
~ taken over ConfigMap demo/cleared
+ missing    ConfigMap demo/dying (terminating since TIME)
~ changed    ConfigMap demo/named
    metadata.labels.team: no value instead of blue
~ changed    ConfigMap demo/recreated (recreated by kubectl-create, just now)
    metadata.labels: no value instead of {"app.kubernetes.io/managed-by":"qvs","vs.axis-dev.io/dep…
~ changed    ConfigMap demo/unlabelled
    metadata.labels["vs.axis-dev.io/deployment"]: no value instead of demo
~ changed    Secret demo/retyped (recreated by kubectl-create, just now; it exists already, and qvs doesn't compare Secrets outside this deployment)
    data (kubectl-create, just now)
    type (kubectl-create, just now)
A correction would be blocked:
  error[object-being-deleted]: ConfigMap demo/dying has been terminating since TIME
    finalizers: example.com/hangs
    help: Wait until it is deleted, then run again
  error[immutable-field]: Secret demo/retyped: type can't be changed
    answer: field is immutable
    why: Release 1 recorded this value, but this deployment didn't create the live object
    help: Deploy a commit in which the object has another name
    help: or delete the live object manually if no one needs it
demo: drift from release 1: 5 changed, 1 missing, 1 taken over (of 11 objects)
exit 2`;
  expect(await told("drift")).toBe(drifted);
  for (const format of ["json", "yaml", "markdown"]) {
    const text = await told("drift", "--format", format);
    expect(text).toContain("created");
    expect(text).not.toMatch(/hunter|aHVudGVy/);
  }
  const refused = await told("reconcile", "--quiet");
  expect(refused).toMatch(
    /has been terminating[\s\S]*field is immutable[\s\S]*Nothing was changed\.\nexit 1$/,
  );
  expect(await demo.writes()).toEqual([]);

  const finalizers = `[{"op":"remove","path":"/metadata/finalizers"}]`;
  await kubectl("patch", "configmap", "dying", "--type=json", "-p", finalizers);
  await kubectl("delete", "secret", "retyped");
  const hold = (holderIdentity: string) => {
    const now = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity, leaseDurationSeconds: 3_600, acquireTime: now, renewTime: now };
    return kubectl("patch", "lease", "qvs-demo", "--type=merge", "-p", JSON.stringify({ spec }));
  };
  await hold("somebody else");
  expect(await told("drift")).toContain(
    "4 changed, 2 missing, 1 taken over (of 11 objects)\nexit 2",
  );
  expect(await told("reconcile", "--quiet", "--no-wait-for-lock")).toMatch(
    /somebody else[\s\S]*exit 1$/,
  );
  await hold("");
  const { code, stdout, stderr } = await demo.qvs("reconcile", "--quiet");
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("demo release 1 corrected: 2 created, 5 updated\n");
  expect(stdout + stderr).not.toMatch(/hunter|aHVudGVy/);
  expect(await told("drift")).toBe("demo: no drift from release 1 (11 objects)\nexit 0");
  expect(await kubectl("get", "deployment", "paused", "-o", "jsonpath={.spec.paused}")).toBe(
    "true",
  );
  expect(
    await kubectl(
      "get",
      "configmap",
      "moved",
      "-o",
      "jsonpath={.metadata.ownerReferences[0].name}",
    ),
  ).toBe("owner");

  await kubectl("delete", `crd/gadgets.${namespace}.example`);
  const withoutKind = "the API server doesn't serve Gadget in demo.example/v1";
  await expect.poll(() => told("drift")).toContain(withoutKind);
  expect(await told("drift")).toContain("demo: drift couldn't be checked\n");
});
