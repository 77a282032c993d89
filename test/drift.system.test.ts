import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../src/world/start-compiler.ts";
import { runHere } from "./cli/run-here.ts";
import { useCluster } from "./support/cluster.ts";
import { type Manifests, manifestsIn, type Surroundings } from "./support/manifests-in.ts";

/** What others change of what a release has deployed, on a real control plane (docs/reference/drift.md). */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

async function demoFor(onFinished: Surroundings["onFinished"]): Promise<Manifests> {
  return manifestsIn(cluster, undefined, {
    ...(onFinished === undefined ? {} : { onFinished }),
    run: (folder, args, env) => runHere(folder, args, compiler, env),
  });
}

const map = (name: string, data: string, metadata = "") =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${metadata}}, data: ${data}}`;

const workload = (name: string, metadata = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}${metadata}}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: web, image: "web:1", env: [{name: MODE, value: live}]}]}
`;

const declared = [
  map("edited", "{colour: blue, size: small}"),
  map("cut", "{colour: blue, size: small}"),
  map("deleted", "{a: b}"),
  map("labelled", "{a: b}"),
  map("taken", "{a: b}"),
  map("ignoring", "{a: b}", ", annotations: {vs.axis-dev.io/ignore-changes: data.a}"),
  `{apiVersion: v1, kind: Secret, metadata: {name: secret}, stringData: {password: hunter2-recorded}}`,
  workload("web"),
  workload("scaled"),
  `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: scaled}, spec: {minReplicas: 1, maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: scaled}}}`,
].join("\n---\n");

const protectedMap = map("kept", "{a: b}", ", annotations: {vs.axis-dev.io/keepOnDelete: k}");

test("what others change is told with who did it, put right and nothing besides", {
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  const demo = await demoFor(onTestFinished);
  const { kubectl } = demo;
  demo.declare({ app: `${declared}\n---\n${protectedMap}\n---\n${map("plain", "{a: b}")}` });
  expect(await demo.qvs("deploy", "--quiet")).toMatchObject({ code: 0 });
  demo.declare({ app: declared });
  expect(await demo.qvs("deploy", "--quiet")).toMatchObject({ code: 0 });
  expect(await demo.qvs("drift")).toMatchObject({
    code: 0,
    stdout: "demo: as in release 2 (10 objects)\n",
  });

  const edit = async (what: string, patch: string) =>
    kubectl("patch", ...what.split(" "), "--field-manager=kubectl-edit", "-p", patch);
  const env = `[{"name":"DEBUG","value":"1"}]`;
  const containers = `[{"name":"web","image":"web:2","env":${env}}]`;
  await edit("configmap edited", '{"data":{"colour":"red"}}');
  await edit("configmap cut", '{"data":{"size":null}}');
  await kubectl("delete", "configmap", "deleted");
  await kubectl("label", "configmap", "labelled", "team=blue");
  await edit("configmap taken", '{"data":{"a":"c"}}');
  await edit("configmap taken", '{"data":{"a":"b"}}');
  await edit("configmap ignoring", '{"data":{"a":"c"}}');
  await edit("secret secret", '{"stringData":{"password":"hunter3-live","more":"hunter4-theirs"}}');
  await edit("deployment web", `{"spec":{"template":{"spec":{"containers":${containers}}}}}`);
  await kubectl("scale", "deployment", "scaled", "--replicas=4");
  await kubectl("delete", "configmap", "kept");
  await demo.writes();

  const found = await demo.qvs("drift");
  expect(found.code).toBe(2);
  expect(found.stdout.replaceAll(demo.namespace, "demo")).toBe(
    `~ changed    Deployment demo/web
    spec.template.spec.containers[name="web"].image: web:2 instead of web:1 (kubectl-edit, just now)
~ changed    ConfigMap demo/cut
    data.size: nothing instead of small
+ missing    ConfigMap demo/deleted
~ changed    ConfigMap demo/edited
    data.colour: red instead of blue (kubectl-edit, just now)
~ taken over ConfigMap demo/taken
    data.a (kubectl-edit, just now)
~ changed    Secret demo/secret (others have put values into the Secret, and these are not compared)
    data.password (kubectl-edit, just now)
demo: drift from release 2: 4 changed, 1 missing, 1 taken over (of 10 objects)
`,
  );
  for (const format of ["json", "yaml", "markdown"]) {
    const { code, stdout, stderr } = await demo.qvs("drift", "--format", format);
    expect(code, stderr).toBe(2);
    expect(stdout).toContain("ConfigMap");
    expect(stdout).not.toMatch(/hunter|aHVudGVy/);
  }
  expect(await demo.writes()).toEqual([]);

  const done = await demo.qvs("reconcile", "--quiet");
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout).toContain("demo release 2 corrected: 1 created, 5 updated\n");
  expect(done.stdout + done.stderr).not.toMatch(/hunter|aHVudGVy/);
  const written = await demo.writes();
  expect(written.map((each) => each.replace(demo.namespace, "demo")).toSorted()).toEqual([
    "patch ConfigMap demo/cut",
    "patch ConfigMap demo/deleted",
    "patch ConfigMap demo/edited",
    "patch ConfigMap demo/taken",
    "patch Deployment demo/web",
    "patch Secret demo/secret",
  ]);
  expect(await demo.qvs("drift")).toMatchObject({
    code: 0,
    stdout: "demo: as in release 2 (10 objects)\n",
  });
  expect(await kubectl("get", "deployment", "scaled", "-o", "jsonpath={.spec.replicas}")).toBe("4");
  expect(await kubectl("get", "configmap", "ignoring", "-o", "jsonpath={.data.a}")).toBe("c");
  const again = await demo.qvs("reconcile", "--quiet");
  expect(again).toMatchObject({ code: 0, stdout: "demo: as in release 2 (10 objects)\n" });
  expect(await demo.writes()).toEqual([]);
});
