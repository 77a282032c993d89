import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import {
  type Manifests,
  manifestsIn,
  type Surroundings,
} from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/**
 * Tests changes by others to the objects of a release, on a real control plane
 * (docs/reference/drift.md).
 */
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

test("changes by other managers are reported with their authors and corrected, and nothing else changes", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  const { kubectl } = demo;
  demo.declare({ app: `${declared}\n---\n${protectedMap}\n---\n${map("plain", "{a: b}")}` });
  expect(await demo.qvs("deploy", "--quiet")).toMatchObject({ code: 0 });
  demo.declare({ app: declared });
  expect(await demo.qvs("deploy", "--quiet")).toMatchObject({ code: 0 });
  expect(await demo.qvs("drift")).toMatchObject({
    code: 0,
    stdout: "demo: no drift from release 2 (10 objects)\n",
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
    data.size: no value instead of small
+ missing    ConfigMap demo/deleted
~ changed    ConfigMap demo/edited
    data.colour: red instead of blue (kubectl-edit, just now)
~ taken over ConfigMap demo/taken
    data.a (kubectl-edit, just now)
~ changed    Secret demo/secret (other field managers wrote values to the Secret, and qvs doesn't compare these)
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
    stdout: "demo: no drift from release 2 (10 objects)\n",
  });
  expect(await kubectl("get", "deployment", "scaled", "-o", "jsonpath={.spec.replicas}")).toBe("4");
  expect(await kubectl("get", "configmap", "ignoring", "-o", "jsonpath={.data.a}")).toBe("c");
  const again = await demo.qvs("reconcile", "--quiet");
  expect(again).toMatchObject({ code: 0, stdout: "demo: no drift from release 2 (10 objects)\n" });
  expect(await demo.writes()).toEqual([]);
});

const widgets = (fields: string) => `{
  apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.drift.example},
  spec: {group: drift.example, scope: Namespaced, names: {plural: widgets, singular: widget, kind: Widget},
    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, properties: {${fields}}}}}}}]}}`;

test("qvs distinguishes drift, additional objects and rejected corrections", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  const { kubectl } = demo;
  const told = async (command: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await demo.qvs(command, ...more);
    return `${stdout}${stderr}exit ${code}`.replaceAll(demo.namespace, "demo");
  };
  const size = "size: {type: string}";
  demo.write("crd.yaml", widgets(size));
  await kubectl("apply", "--server-side", "-f", `${demo.directory}/crd.yaml`);
  await kubectl("wait", "--for=condition=Established", "crd/widgets.drift.example");
  const widget = `{apiVersion: drift.example/v1, kind: Widget, metadata: {name: w}, spec: {size: small}}`;
  const user = `{apiVersion: v1, kind: Pod, metadata: {name: user}, spec: {containers: [{name: a, image: "a:1", envFrom: [{configMapRef: {name: used}}]}]}}`;
  const stays = [map("other", "{a: b}"), map("cleared", "{a: b}"), widget].join("\n---\n");
  demo.declare({ app: `${stays}\n---\n${map("used", "{a: b}")}` });
  expect(await told("deploy", "--quiet")).toBe("demo release 1 succeeded\nexit 0");
  demo.write("user.yaml", user);
  await kubectl("apply", "-f", `${demo.directory}/user.yaml`);
  demo.declare({ app: stays });
  expect(await told("deploy", "--quiet")).toMatch(/demo release 2 succeeded\nexit 0$/);
  const clean = "demo: no drift from release 2 (3 objects)\nexit 0";

  // After an upgrade, an API server can set a default that isn't in the record.
  demo.write("crd.yaml", widgets(`${size}, colour: {type: string, default: red}`));
  await kubectl("apply", "--server-side", "-f", `${demo.directory}/crd.yaml`);
  await expect
    .poll(async () => kubectl("get", "widgets.drift.example", "w", "-o", "jsonpath={.spec.colour}"))
    .toBe("red");
  expect(await told("drift")).toBe(clean);

  await kubectl("delete", "pod", "user", "--grace-period=0", "--force");
  demo.write("other.yaml", map("other", "{a: c, more: mine}"));
  const force = ["--server-side", "--force-conflicts", "--field-manager=argocd"];
  await kubectl("apply", ...force, "-f", `${demo.directory}/other.yaml`);
  const noManagers = `[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`;
  await kubectl("patch", "configmap", "cleared", "--type=json", "-p", noManagers);
  const drifted = `~ taken over ConfigMap demo/cleared
~ changed    ConfigMap demo/other
    data.a: c instead of b (argocd, just now)
- extra      ConfigMap demo/used
`;
  const counts =
    "demo: drift from release 2: 1 changed, 1 taken over, 1 extra (of 3 objects)\nexit 2";
  expect(await told("drift")).toBe(`${drifted}${counts}`);
  expect(await told("drift", "--namespaces", demo.namespace)).toBe(`${drifted}${counts}`);

  await kubectl("create", "configmap", "qvs-freeze", "--from-literal=reason=audit");
  await demo.writes();
  expect(await told("drift")).toMatch(
    /A correction would be blocked:\n {2}error\[deployments-frozen\]: Deployments in namespace demo are frozen\n {4}reason: audit/,
  );
  expect(await told("reconcile", "--quiet")).toMatch(
    /are frozen[\s\S]*Nothing was changed\.\nexit 1$/,
  );
  await kubectl("delete", "configmap", "qvs-freeze");
  expect(await told("reconcile", "--quiet", "--conflicts=fail")).toMatch(
    /data\.a is owned by another field manager\n.*owner: +"argocd"[\s\S]*Nothing was changed\.\nexit 1$/,
  );
  expect(await demo.writes()).toEqual([]);

  expect(await told("reconcile", "--quiet")).toMatch(
    /demo release 2 corrected: 2 updated, 1 deleted\n[\s\S]*exit 0$/,
  );
  expect(await told("drift")).toBe(clean);
  expect(await kubectl("get", "configmap", "other", "-o", "jsonpath={.data}")).toBe(
    '{"a":"b","more":"mine"}',
  );
  const state = await kubectl("get", "secret", "qvs.demo.v2", "-o", "jsonpath={.data.state}");
  const { lastCorrected } = JSON.parse(gunzipSync(Buffer.from(state, "base64")).toString());
  expect(lastCorrected).toMatchObject({ succeeded: true });
  expect(lastCorrected.results).toHaveLength(3);

  const stuck = `{apiVersion: v1, kind: Pod, metadata: {name: stuck, annotations: {test.qvs/behaviour: never-ready}}, spec: {containers: [{name: a, image: "a:1"}]}}`;
  demo.declare({ app: `${stays}\n---\n${stuck}` });
  expect((await demo.qvs("deploy", "--quiet", "--timeout", "1s")).code).toBe(1);
  const unknown = await told("drift");
  expect(unknown).toContain(
    "Release 3 of demo failed\n    why: Its objects might exist or not, so the desired state isn't certain",
  );
  expect(unknown).toMatch(/^demo: drift couldn't be checked\n/);
  expect(await told("reconcile", "--quiet")).toMatch(/Nothing was changed\.\nexit 1$/);
});

test("fields that no release can restore are reported, and the other drift is still shown", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  const { kubectl, namespace } = demo;
  const told = async (command: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await demo.qvs(command, ...more);
    return `${stdout}${stderr}exit ${code}`.replaceAll(namespace, "demo");
  };
  const role = (name: string) =>
    `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: ${name}-${namespace}}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`;
  // A parameter of that name is a secret in all fields that use it.
  const secretive = (password: string) =>
    map("secretive", `{a: "user:${password}", password: ${password}}`);
  const done = `{apiVersion: batch/v1, kind: Job, metadata: {name: done}, spec: {ttlSecondsAfterFinished: 0, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}}}`;
  const rest = [map("edited", "{a: b}"), role("gone"), role("theirs"), role("whole"), done];
  const declare = (password: string) =>
    demo.declare({ app: [...rest, secretive(password)].join("\n---\n") });
  declare("hunter2-older");
  expect(await told("deploy", "--quiet")).toBe("demo release 1 succeeded\nexit 0");
  const older = secretive("hunter2-older");
  declare("hunter2-newer");
  expect(await told("deploy", "--quiet")).toBe("demo release 2 succeeded\nexit 0");
  await kubectl("wait", "job/done", "--for=delete", "--timeout=60s");
  expect(await told("drift")).toBe("demo: no drift from release 2 (6 objects)\nexit 0");
  expect(await told("status")).toMatch(
    /healthy\n[\s\S]*✔ ready +Job done\n +completed, then deleted/,
  );
  demo.write("older.yaml", older);
  const force = ["--server-side", "--force-conflicts", "--field-manager=argocd"];
  await kubectl("apply", ...force, "-f", `${demo.directory}/older.yaml`);
  await kubectl("patch", "configmap", "edited", "-p", '{"data":{"a":"c"}}');
  await kubectl("delete", "clusterrole", `gone-${namespace}`);
  await kubectl("label", "clusterrole", `theirs-${namespace}`, "vs.axis-dev.io/deployment-");
  const rules = `[{"apiGroups":["of-others"],"resources":["pods"],"verbs":["get"]}]`;
  const theirs = ["clusterrole", `theirs-${namespace}`, "--type=merge"];
  await kubectl("patch", ...theirs, "-p", `{"rules":${rules}}`);
  await demo.writes();

  const drifted = `~ changed    ConfigMap demo/edited
    data.a: c instead of b (kubectl-patch, just now)
~ changed    ConfigMap demo/secretive
    data.a: (hidden) instead of (changed) (argocd, just now)
    data.password: (hidden) instead of (changed) (argocd, just now)
+ missing    ClusterRole gone-demo
`;
  const refused =
    "error[outside-namespace]: The release would write objects outside namespace demo";
  const found = await told("drift");
  expect(found).toContain(`${drifted}A correction would be blocked:\n  ${refused}\n`);
  expect(found).toMatch(
    /demo: drift from release 2: 2 changed, 1 missing \(of 6 objects\)\nexit 2$/,
  );
  const corrected = await told("reconcile", "--quiet");
  const shown = [
    ...[found, corrected],
    ...[await told("drift", "--format=json"), await told("drift", "--format=markdown")],
    await told("rollback", "--to=1", "--dry-run"),
  ];
  expect(shown.join("")).not.toMatch(/of-others|hunter2/);
  expect(corrected).toContain(refused);
  expect(corrected).toMatch(/Nothing was changed\.\nexit 1$/);
  expect(await demo.writes()).toEqual([]);

  await kubectl("delete", "clusterrole", `theirs-${namespace}`);
  const allowed = await told("reconcile", "--quiet", "--allow-outside-namespace");
  expect(allowed).toContain("demo release 2 corrected: 2 created, 2 updated\n");
  expect(allowed).not.toContain("hunter2");
});
