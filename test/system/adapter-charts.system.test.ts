import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { packedChart } from "../support/packed-chart.ts";
import { runQvs } from "../support/qvs/run-qvs.ts";
import { ChartRegistry } from "../support/servers/chart-registry.ts";

/** Tests charts of adapters: docs/reference/adapters.md#charts */
const cluster = useCluster();

/** Returns a chart with a definition and an object of its kind, a hook, and a random password. */
function chart(version: string, group: string): Buffer {
  return packedChart("web", {
    "Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`,
    "values.yaml": "color: red\nisOld: false\nisRandom: false\n",
    "crds/colors.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: colors.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: Color, plural: colors, singular: color, listKind: ColorList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`,
    "templates/color.yaml": `apiVersion: ${group}/v1
kind: Color
metadata: {name: "{{ .Release.Name }}"}
spec: {color: "{{ .Values.color }}", version: "{{ .Chart.Version }}"}
`,
    "templates/old.yaml": `{{ if .Values.isOld }}
apiVersion: v1
kind: ConfigMap
metadata: {name: old}
{{ end }}
`,
    "templates/password.yaml": `{{ if .Values.isRandom }}
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: "{{ randAlphaNum 20 }}"}
{{ end }}
`,
    "templates/job.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: first
  annotations: {helm.sh/hook: pre-install}
spec:
  template:
    metadata: {annotations: {test.qvs/behaviour: succeeds}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example/main:1"}]
`,
  });
}

/** Returns an adapter with a namespace, a release in it, and an object that waits for it. */
function adapter(repo: string, namespace: string, version: string, values: string): string {
  return `package web
#K: {provider: "pulumi-yaml", type: string, ...}
DesignPattern: resources: app: {
	ns: #K & {type: "kubernetes:core/v1:Namespace", properties: metadata: name: "${namespace}"}
	after: #K & {
		type: "kubernetes:core/v1:ConfigMap"
		options: dependsOn: ["\${web}"]
		properties: metadata: {name: "after", namespace: "\${ns.metadata.name}"}
	}
	web: {
		provider: "kubernetes-helm", type: "kubernetes:helm.sh/v3:Release"
		properties: {
			chart: "web", version: "${version}", name: "main", namespace: "\${ns.metadata.name}"
			repositoryOpts: repo: "${repo}"
			values: {${values}}
		}
	}
}
`;
}

async function shop() {
  const id = randomBytes(4).toString("hex");
  const group = `c-${id}.example`;
  const registry = await new ChartRegistry().start();
  for (const version of ["1.0.0", "1.1.0"]) registry.push("web", version, chart(version, group));
  const namespace = await cluster.namespace("charts");
  const inner = `inner-${id}`;
  const repository = temporaryRepository({
    ".valuestream/deployments.yaml": "deployments: [{name: shop, config: qvs.yaml}]",
    ".valuestream/qvs.yaml":
      "modules: [{name: a.example, local: {path: ../adapters}}]\ndesignPatterns: [{pattern: a.example/web}]\n",
    "adapters/cue.mod/module.cue": 'module: "a.example"\nlanguage: version: "v0.9.0"',
  });
  const cache = mkdtempSync(join(tmpdir(), "qvs-cache-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const env = {
    KUBECONFIG: cluster.kubeconfigFor("admin"),
    QVS_CACHE: cache,
    QVS_INSECURE_REGISTRIES: registry.host,
  };
  const run = (...args: readonly string[]) => runQvs(repository.directory, args, env);
  return {
    ...{ group, inner },
    write: (version: string, values: string) =>
      repository.write(
        "adapters/web/main.cue",
        adapter(`http://${registry.host}`, inner, version, values),
      ),
    lock: () => run("lock"),
    qvs: (...args: readonly string[]) => run(...args, "-n", namespace),
    get: (kind: string, path: string) =>
      cluster.kubectl("get", kind, "-n", inner, "-o", `jsonpath={${path}}`),
  };
}

test("a chart of an adapter is deployed in its order, upgraded and deleted", async () => {
  const { group, inner, write, lock, qvs, get } = await shop();
  write("1.0.0", "isOld: true");
  const blocked = await qvs("deploy");
  expect(blocked.code).toBe(1);
  expect(blocked.stderr).toContain("lock-file-outdated");
  expect(blocked.stderr).toContain("resource: app/web");

  expect((await lock()).stdout).toContain("web of http://");
  const deployed = await qvs("deploy");
  expect(deployed.stdout, deployed.stderr).toContain("shop release 1 succeeded");
  expect(await get(`color.${group}/main`, ".spec")).toBe('{"color":"red","version":"1.0.0"}');
  const order = ["job/first", `color.${group}/main`, "configmap/after"];
  const times = await Promise.all(order.map((each) => get(each, ".metadata.creationTimestamp")));
  expect(times).toEqual(times.toSorted());
  expect(await get("job/first", ".status.succeeded")).toBe("1");
  const again = await qvs("deploy");
  expect(again.stdout, again.stderr).toContain("unchanged");

  write("1.1.0", 'color: "blue"');
  await lock();
  const preview = await qvs("diff");
  expect(preview.stdout, preview.stderr).toMatch(/delete.*ConfigMap.*old/);
  const upgraded = await qvs("deploy");
  expect(upgraded.stdout, upgraded.stderr).toContain("shop release 2 succeeded");
  expect(await get(`color.${group}/main`, ".spec")).toBe('{"color":"blue","version":"1.1.0"}');
  expect(await get("configmap", ".items[*].metadata.name")).not.toContain("old");

  const allowed = "--allow-delete=CustomResourceDefinition,Namespace";
  const removed = await qvs("delete", "-d", "shop", "--yes", allowed);
  expect(removed.code, removed.stdout + removed.stderr).toBe(0);
  const left = await cluster.kubectl("get", "crd", `colors.${group}`, "--ignore-not-found");
  expect(left).toBe("");
  expect(await cluster.kubectl("get", "namespace", inner, "--ignore-not-found")).toBe("");
});

test("a preview names the random values of a chart of an adapter", async () => {
  const { write, lock, qvs } = await shop();
  write("1.0.0", "isRandom: true");
  await lock();
  const preview = await qvs("diff");
  expect(preview.stdout + preview.stderr).toContain("not-reproducible");
});
