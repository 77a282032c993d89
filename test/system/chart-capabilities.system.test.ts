import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { runQvs } from "../support/qvs/run-qvs.ts";

const cluster = useCluster();

/** Returns the definition of monitors in a group of its own, because definitions are shared. */
function definition(group: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ServiceMonitor, plural: servicemonitors, singular: servicemonitor, listKind: ServiceMonitorList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`;
}

/** A repository with a chart that has a monitor only if the cluster serves its kind. */
async function shop(entry = "") {
  const group = `m-${randomBytes(4).toString("hex")}.example`;
  const namespace = await cluster.namespace("caps");
  const repository = temporaryRepository({
    ".valuestream/deployments.yaml": "deployments: [{name: shop, config: qvs.yaml}]",
    ".valuestream/qvs.yaml": `
designPatterns:
  - helm: {chart: ../charts/shop, release: shop${entry}}
`,
    "charts/shop/Chart.yaml": "{apiVersion: v2, name: shop, version: 1.0.0}",
    "charts/shop/templates/version.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: version}
data: {version: "{{ .Capabilities.KubeVersion.Version }}"}
`,
    "charts/shop/templates/monitor.yaml": `
{{ if .Capabilities.APIVersions.Has "${group}/v1/ServiceMonitor" }}
apiVersion: ${group}/v1
kind: ServiceMonitor
metadata: {name: shop}
spec: {interval: 30s}
{{ end }}
`,
  });
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const run = (command: string, ...args: readonly string[]) =>
    runQvs(repository.directory, [command, "-n", namespace, ...args], env);
  return {
    ...{ group, namespace, repository, run },
    monitors: () =>
      cluster.kubectl("get", `servicemonitors.${group}`, "-n", namespace, "-o", "name"),
    version: () =>
      cluster.kubectl(
        "get",
        "configmap/version",
        "-n",
        namespace,
        "-o",
        "jsonpath={.data.version}",
      ),
  };
}

/** Creates a definition and waits until the API server serves it. */
async function define(group: string): Promise<void> {
  await cluster.apply("default", definition(group));
  await cluster.kubectl(...["wait", "--for=condition=Established", `crd/servicemonitors.${group}`]);
}

async function serverVersion(): Promise<string> {
  const answer = JSON.parse(await cluster.kubectl("get", "--raw", "/version"));
  return answer.gitVersion;
}

/** Returns the digest that `diff` shows. */
function digestOf(output: string): string {
  return JSON.parse(output).digest;
}

test("a chart sees the version and the APIs of the cluster, in a preview and a deployment", async () => {
  const { group, run, monitors, version } = await shop();
  const without = await run("diff");
  expect(without.stdout, without.stderr).toContain("ConfigMap");
  expect(without.stdout).not.toContain("ServiceMonitor");
  expect(without.stdout + without.stderr).not.toContain("capabilities-assumed");
  expect((await run("deploy")).code).toBe(0);
  expect(await version()).toBe(await serverVersion());

  await define(group);
  const withKind = await run("diff");
  expect(withKind.stdout, withKind.stderr).toMatch(/ServiceMonitor/);
  const deployed = await run("deploy");
  expect(deployed.code, deployed.stderr).toBe(0);
  expect(await monitors()).toContain("servicemonitor");
  expect((await run("diff")).stdout).toContain("No changes: shop");
});

test("a chart sees the kinds that the same deployment defines", async () => {
  const { group, repository, run, monitors } = await shop();
  repository.write("crds/monitors.yaml", definition(group));
  repository.change(
    ".valuestream/qvs.yaml",
    "designPatterns:\n",
    "designPatterns:\n  - {manifests: ../crds, stage: appSetup}\n",
  );
  const preview = await run("diff");
  expect(preview.stdout, preview.stderr).toMatch(/ServiceMonitor .*shop/);
  const deployed = await run("deploy");
  expect(deployed.code, deployed.stderr).toBe(0);
  expect(await monitors()).toContain("servicemonitor");

  // Without the definition, this deployment deletes the kind.
  repository.change(".valuestream/qvs.yaml", "  - {manifests: ../crds, stage: appSetup}\n", "");
  const removed = await run("diff", "--allow-delete=CustomResourceDefinition");
  const name = `servicemonitors.${group}`;
  expect(removed.stdout, removed.stderr).toContain(`CustomResourceDefinition ${name}`);
  expect(removed.stdout).not.toMatch(/create.*ServiceMonitor/);
  const deleted = await run("deploy", "--allow-delete=CustomResourceDefinition");
  expect(deleted.code, deleted.stderr).toBe(0);
  expect(await cluster.kubectl("get", "crd", name, "--ignore-not-found", "-o", "name")).toBe("");
  expect((await run("diff")).stdout).toContain("No changes: shop");
});

test("a chart still sees the kind of a definition that the plan keeps", async () => {
  const { group, repository, run, monitors } = await shop();
  repository.write(
    "charts/shop/templates/crd.yaml",
    `{{ if .Values.crds }}\n${definition(group).replace(
      "metadata: {",
      "metadata: {annotations: {helm.sh/resource-policy: keep}, ",
    )}{{ end }}\n`,
  );
  repository.write("charts/shop/values.yaml", "crds: true\n");
  const deployed = await run("deploy");
  expect(deployed.code, deployed.stderr).toBe(0);
  expect(await monitors()).toBe(`servicemonitor.${group}/shop\n`);

  repository.write("charts/shop/values.yaml", "crds: false\n");
  for (let deployment = 0; deployment < 2; deployment++) {
    const preview = await run("diff", "--format", "json");
    const { deletions, capabilities } = JSON.parse(preview.stdout);
    expect(deletions, preview.stderr).toEqual([]);
    const question = `${group}/v1/ServiceMonitor`;
    expect(capabilities).toContainEqual({ question, answer: "served" });
    const again = await run("deploy");
    expect(again.code, again.stderr).toBe(0);
  }
  expect(await monitors()).toBe(`servicemonitor.${group}/shop\n`);
});

test("the entry of the config decides before the cluster", async () => {
  const { group, run, version } = await shop(', kubeVersion: "v1.30.1", apiVersions: []');
  await define(group);
  const preview = await run("diff");
  expect(preview.stdout, preview.stderr).not.toContain("ServiceMonitor");
  expect((await run("deploy")).code).toBe(0);
  expect(await version()).toBe("v1.30.1");
});

test("a new kind on the cluster changes the plan, so the reviewed plan isn't deployed", async () => {
  const { group, run } = await shop();
  const reviewed = digestOf((await run("diff", "--format", "json")).stdout);
  await define(group);
  const changed = digestOf((await run("diff", "--format", "json")).stdout);
  expect(changed).not.toBe(reviewed);
  const stopped = await run("deploy", "--expect-digest", reviewed);
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toContain(`answer of the cluster: ${group}/v1/ServiceMonitor served`);
  expect((await run("deploy", "--expect-digest", changed)).code).toBe(0);
});

test("without a cluster, a notice names what a chart asked and what is assumed", async () => {
  const { group, repository } = await shop();
  const compiled = await runQvs(repository.directory, ["compile"], {});
  expect(compiled.stdout).toContain("v1.37.0");
  expect(compiled.stdout).not.toContain("ServiceMonitor");
  expect(compiled.stderr).toContain(
    'Chart "../charts/shop" asks for the version or the APIs of the cluster',
  );
  expect(compiled.stderr).toContain(`${group}/v1/ServiceMonitor`);
});
