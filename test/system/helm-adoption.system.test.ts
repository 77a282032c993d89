import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { buildTools } from "../support/cluster/build.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import {
  type TemporaryRepository,
  temporaryRepository,
} from "../support/git/temporary-repository.ts";
import { runQvs } from "../support/qvs/run-qvs.ts";

const cluster = useCluster();

const files = {
  "charts/web/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}",
  "charts/web/values.yaml": "{color: blue, tag: '1'}",
  "charts/web/templates/settings.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-settings", labels: {app.kubernetes.io/managed-by: "{{ .Release.Service }}"}}
data: {color: "{{ .Values.color }}"}
`,
  "charts/web/templates/web.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:{{ .Values.tag }}", envFrom: [{configMapRef: {name: "{{ .Release.Name }}-settings"}}]}]}
`,
  ".valuestream/deployments.yaml": "deployments: [{name: shop, config: qvs.yaml}]",
  ".valuestream/qvs.yaml": `
designPatterns:
  - helm: {chart: ../charts/web, release: shop, set: {tag: '1'}}
`,
};

/** A release that the real Helm installed in a namespace of its own. */
async function installedByHelm() {
  const helm = (await buildTools("helm")).path("helm");
  const namespace = await cluster.namespace("helm");
  const repository = temporaryRepository(files);
  const env = { ...process.env, HOME: repository.directory };
  const options = { cwd: repository.directory, env };
  const kubeconfig = cluster.kubeconfigFor("kubectl");
  const run = (...args: readonly string[]) =>
    promisify(execFile)(helm, [...args, "-n", namespace, "--kubeconfig", kubeconfig], options);
  await run("install", "shop", "charts/web", "--wait", "--timeout", "120s");
  return { namespace, repository, helm: run, qvs: qvsIn(repository, namespace) };
}

function qvsIn({ directory }: TemporaryRepository, namespace: string) {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  return (command: string, ...args: readonly string[]) =>
    runQvs(directory, [command, "-n", namespace, ...args], env);
}

/** Returns the Pods by name and uid. A restarted Pod has another name. */
function podsOf(namespace: string): Promise<string> {
  const path = "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{'\\n'}{end}";
  return cluster.kubectl("get", "pods", "-n", namespace, "--sort-by=.metadata.name", "-o", path);
}

test("qvs takes over a release of Helm without a restart, then changes and rolls it back", async () => {
  const { namespace, repository, helm, qvs } = await installedByHelm();
  const before = await podsOf(namespace);
  expect(before).toContain("shop-");

  const blocked = await qvs("deploy");
  expect(blocked.code, blocked.stderr).toBe(1);
  expect(blocked.stderr).toContain("help: Overwrite it with --takeover=helm");
  expect(blocked.stderr).not.toContain("ignore-changes");
  const preview = await qvs("diff", "--takeover", "helm");
  expect(preview.stdout).toContain(
    `Helm's release shop in the namespace ${namespace} still records 2 objects of this deployment`,
  );
  expect(preview.stdout).not.toContain("registry.example");
  const adopted = await qvs("deploy", "--takeover", "helm");
  expect(adopted.code, adopted.stderr).toBe(0);
  expect(await podsOf(namespace)).toBe(before);
  expect((await qvs("diff")).stdout).toContain("No changes: shop");

  repository.change(".valuestream/qvs.yaml", "tag: '1'", "tag: '2'");
  const delivered = await qvs("deploy");
  expect(delivered.code, delivered.stderr).toBe(0);
  const images = () =>
    cluster.kubectl("get", "deployment", "shop", "-n", namespace, "-o", "jsonpath={..image}");
  expect(await images()).toBe("registry.example/web:2");
  const returned = await qvs("rollback", "--to", "1");
  expect(returned.code, returned.stderr).toBe(0);
  expect(await images()).toBe("registry.example/web:1");

  // Helm's record is left.
  expect((await helm("list", "--short")).stdout.trim()).toBe("shop");
});
