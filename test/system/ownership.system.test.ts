import { expect, test } from "vitest";
import { fieldOwners } from "../../src/ssa/managed-fields.ts";
import { deployed, type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

const cluster = useCluster();

const settings = (...data: readonly string[]) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {${data.join(", ")}}
`;

const web = (container: string, metadata = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web${metadata}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, ${container}}]}
`;

async function data(demo: Manifests): Promise<unknown> {
  return JSON.parse(await demo.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data}"));
}

/** Returns the field managers of an object, as `manager/operation`. */
async function managers(demo: Manifests, kind: string, name: string): Promise<string> {
  const json = await demo.kubectl("get", kind, name, "--show-managed-fields", "-o", "json");
  const owners = fieldOwners(JSON.parse(json)).filter(({ subresource }) => subresource === "");
  return owners.map(({ manager, operation }) => `${manager}/${operation}`).join(" ");
}

function notices({ stdout }: { readonly stdout: string }): readonly string[] {
  return stdout
    .split("\n")
    .flatMap(
      (line) => /^note\[[\w-]+\]: (\w+ demo-.*)|^ {2}(removed: .*)/.exec(line)?.slice(1) ?? [],
    )
    .filter((text) => text !== undefined)
    .map((text) => text.replaceAll(/demo-\w+\//g, ""));
}

test("qvs adopts objects that kubectl applied and removes undeclared fields, as the preview shows", async () => {
  const demo = await manifestsIn(cluster);
  const env = (...names: readonly string[]) =>
    `env: [${names.map((name) => `{name: ${name}, value: "1"}`).join(", ")}]`;
  await cluster.apply(
    demo.namespace,
    web(`image: "web:1", ${env("OLD", "KEPT")}`, ", annotations: {team: shop}"),
  );
  await cluster.apply(demo.namespace, settings("a: '1'", "b: '2'"));
  demo.declare({ app: `${web(`image: "web:2", ${env("KEPT")}`)}\n---\n${settings("a: '1'")}` });
  expect(notices(await demo.qvs("diff"))).toEqual([
    "Deployment web: qvs takes ownership from kubectl-client-side-apply",
    'removed: metadata.annotations.team, spec.template.spec.containers[name="web"].env[name="OLD"]',
    "ConfigMap settings: qvs takes ownership from kubectl-client-side-apply",
    "removed: data.b",
  ]);
  await deployed(demo);
  expect(await data(demo)).toEqual({ a: "1" });
  expect(await managers(demo, "configmap", "settings")).toBe("qvs-demo-app/Apply");
  expect(await managers(demo, "deployment", "web")).toBe("qvs-demo-app/Apply");
  const path = "jsonpath={.metadata.annotations} {.spec.template.spec.containers[0].env[*].name}";
  expect(await demo.kubectl("get", "deployment", "web", "-o", path)).toBe(
    '{"deployment.kubernetes.io/revision":"2"} KEPT',
  );
  await demo.writes();
  await deployed(demo);
  expect(await demo.writes()).toEqual([]);
});

test("qvs adopts objects from before field ownership was recorded", async () => {
  const demo = await manifestsIn(cluster);
  await cluster.apply(demo.namespace, settings("a: '1'", "b: '2'"));
  const noManagers = '{"metadata":{"managedFields":[{}]}}';
  await demo.kubectl("patch", "configmap", "settings", "--type=merge", "-p", noManagers);
  demo.declare({ app: settings("a: '3'") });
  const { stdout } = await demo.qvs("diff");
  expect(stdout).toMatch(/-\s+a: "1"/);
  await deployed(demo);
  expect(await data(demo)).toMatchObject({ a: "3" });
  demo.declare({ app: settings("a: '4'") });
  await deployed(demo);
  expect(await data(demo)).toEqual({ a: "4" });
  expect(await managers(demo, "configmap", "settings")).toBe("qvs-demo-app/Apply");
});

test("an object that moves to the other stage keeps its fields", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: settings("a: '1'", "b: '2'") });
  await deployed(demo);
  demo.declare({ appSetup: settings("a: '1'") });
  expect(notices(await demo.qvs("diff"))).toEqual([
    "ConfigMap settings: moved from app to appSetup",
    "removed: data.b",
  ]);
  await deployed(demo);
  expect(await data(demo)).toEqual({ a: "1" });
  expect(await managers(demo, "configmap", "settings")).toBe("qvs-demo-appSetup/Apply");
});

test("a field of another Apply manager is a conflict, until a flag allows qvs to take it", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: settings("a: '1'", "b: '1'") });
  await deployed(demo);
  demo.write("theirs.yaml", settings("a: '2'"));
  const theirs = [
    "apply",
    "--server-side",
    "--force-conflicts",
    "-f",
    `${demo.directory}/theirs.yaml`,
  ];
  await demo.kubectl(...theirs, "--field-manager=someone");
  const refused = await demo.qvs("deploy");
  expect(refused.code).toBe(1);
  expect(
    refused.stderr.replaceAll(demo.namespace, "demo").replace(/since \S+\)/, "since then)"),
  ).toBe(
    `error[field-conflict]: ConfigMap demo/settings: data.a is owned by another field manager
  --> adapters/manifests/main.cue:7:55
  owner:    "someone" (Apply, since then)
  cluster:  "2"
  manifest: "1"
  help: Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'data.a'
          metadata:
            annotations:
              vs.axis-dev.io/ignore-changes: 'data.a'
  help: or remove data.a from the manifest
  help: or overwrite it with --takeover=someone, which takes all fields of someone in the declared objects and removes undeclared ones

Nothing was changed.
`,
  );
  expect((await demo.qvs("deploy", "--takeover=other")).code).toBe(1);
  expect(await data(demo)).toEqual({ a: "2", b: "1" });
  expect(notices(await demo.qvs("diff", "--takeover=someone"))).toEqual([
    "ConfigMap settings: qvs takes ownership from someone",
  ]);
  await deployed(demo, "--takeover=someone");
  expect(await data(demo)).toEqual({ a: "1", b: "1" });
});

test("qvs keeps the replicas of an autoscaler, with a notice, in every deployment", async () => {
  const demo = await manifestsIn(cluster);
  const scaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {minReplicas: 2, maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`;
  const version = (image: string) => ({ app: `${web(`image: "${image}"`)}\n---\n${scaler}` });
  demo.declare(version("web:1"));
  await deployed(demo);
  const replicas = () =>
    demo.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}");
  await expect.poll(replicas, { interval: 500 }).toBe("2");
  for (const image of ["web:1", "web:2", "web:3"]) {
    demo.declare(version(image));
    expect(notices(await demo.qvs("diff"))).toEqual([
      "Deployment web: spec.replicas keeps its live value",
    ]);
    await deployed(demo);
    expect(await replicas()).toBe("2");
  }
});

test("a conflicting default is removed first, as the preview shows", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: web('image: "web:1"') });
  await deployed(demo);
  const recreating = web('image: "web:1"').replace(
    "replicas: 1",
    "replicas: 1\n  strategy: {type: Recreate}",
  );
  demo.declare({ app: recreating });
  const { stdout, code } = await demo.qvs("diff");
  expect(stdout.replaceAll(demo.namespace, "demo")).toBe(`Ready: demo, 1 update

~ update Deployment demo/web  adapters/manifests (.valuestream/qvs.yaml:5)
    changed by the API server: spec.strategy.rollingUpdate
    @@ spec › strategy @@
    -rollingUpdate:
    -  maxSurge: 25%
    -  maxUnavailable: 25%
    -type: RollingUpdate
    +type: Recreate

Rollback: possible, 1 object, nothing lost
`);
  expect(code).toBe(0);
  await demo.writes();
  await deployed(demo);
  expect((await demo.writes()).length).toBe(2);
  const strategy = () =>
    demo.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.strategy}");
  expect(await strategy()).toBe('{"type":"Recreate"}');
  await deployed(demo);
  expect(await demo.writes()).toEqual([]);
  demo.declare({ app: web('image: "web:1"') });
  await deployed(demo);
  expect(await strategy()).toContain('"type":"RollingUpdate"');
});

test("an immutable field is reported, and with the annotation the object is recreated", async () => {
  const demo = await manifestsIn(cluster);
  const labelled = (label: string, annotations = "") =>
    web('image: "web:1"', annotations).replaceAll("app: web", `app: ${label}`);
  demo.declare({ app: labelled("one") });
  await deployed(demo);
  demo.declare({ app: labelled("two") });
  const refused = await demo.qvs("deploy");
  expect(refused.stderr.replaceAll(demo.namespace, "demo")).toBe(
    `error[immutable-field]: Deployment demo/web: spec.selector can't be changed
  --> adapters/manifests/main.cue:7:55
  answer: Invalid value: {"matchLabels":{"app":"two"}}: field is immutable
  help: Give the object another name
  help: or add the annotation vs.axis-dev.io/replace: "true" if it can be absent for a moment

Nothing was changed.
`,
  );
  const replacing = ', annotations: {vs.axis-dev.io/replace: "true"}';
  demo.declare({ app: labelled("two", replacing) });
  const { stdout } = await demo.qvs("diff");
  const shown = stdout.replaceAll(demo.namespace, "demo");
  expect(shown).toContain("± replace Deployment demo/web: deleted and recreated");
  expect(shown).toContain("demo: 0 to create, 0 to update, 1 to replace, 0 to delete, 0 unchanged");
  await demo.writes();
  await deployed(demo);
  expect(await demo.writes()).toEqual([
    `delete Deployment ${demo.namespace}/web`,
    `patch Deployment ${demo.namespace}/web`,
  ]);
});
