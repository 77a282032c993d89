import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type TestCluster, useCluster } from "../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { runQvs } from "../support/qvs/run-qvs.ts";

const cluster = useCluster();

const manifests = (namespace: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${namespace}, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example/web:1.0.0
          ports: [{containerPort: 8080}]
          readinessProbe: {httpGet: {path: /, port: 8080}}
          env: [{name: POD, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]
          volumeMounts: [{name: conf, mountPath: /etc/web}]
      volumes: [{name: conf, configMap: {name: web, defaultMode: 0644}}]
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: web, namespace: ${namespace}}
    data:
      web.conf: |
        listen 8080;
        greeting "hello";
      on: "off"
  - apiVersion: v1
    kind: Service
    metadata: {name: web, namespace: ${namespace}}
    spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
`;

const objects = ["deployment/web", "configmap/web", "service/web"];

const sources = { files: ["k8s"], cluster: objects } as const;

const ways = [
  { name: "kubectl apply", apply: [], first: "cluster", second: "files" },
  {
    name: "kubectl apply --server-side",
    apply: ["--server-side"],
    first: "files",
    second: "cluster",
  },
] as const;

test.each(ways)("objects that $name created are adopted, and nothing else changes", async (way) => {
  const namespace = await cluster.namespace();
  const applied = repositoryWith(manifests(namespace));
  await cluster.kubectl("apply", ...way.apply, "-f", `${applied.directory}/k8s`);
  await cluster.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=600s");
  const before = await stateOf(cluster, namespace);

  await adopting(way.first, namespace);
  const qvs = await adopting(way.second, namespace);
  await qvs("deploy");

  const after = await stateOf(cluster, namespace);
  expect(after.state).toEqual(before.state);
  // For a Deployment, the removal of the annotation of client-side apply is also a change.
  const counted = way.apply.length === 0 ? 1 : 0;
  expect(after.generation).toBe(before.generation + counted);
  expect(after.labels).toEqual(["web", "web", "web"]);
  expect(await qvs("diff", "--exit-code")).toContain("No changes: web");
});

/** Creates a repository whose preview has no changes. */
async function adopting(from: keyof typeof sources, namespace: string) {
  const { directory } = repositoryWith(manifests(namespace));
  const qvs = runIn(directory);
  const flags = sources[from].flatMap((each) => ["--from", each]);
  await qvs("init", "--name", "web", "--namespace", namespace, ...flags);
  await qvs("compile", "--check");
  const preview = JSON.parse(await qvs("diff", "--format", "json"));
  expect(fieldsThatChange(preview), `the preview of what was read from the ${from}`).toEqual([]);
  return qvs;
}

test("a new repository can be deployed", async () => {
  const namespace = await cluster.namespace();
  const repository = repositoryWith("");
  const qvs = runIn(repository.directory);
  const name = namespace;
  await qvs("init", "--name", name, "--image", "registry.example/web:1.0.0");
  await qvs("compile", "--all", "--check");
  await qvs("deploy", "-d", `${name}-staging`);
  const ready = ["-o", "jsonpath={.status.availableReplicas}"];
  expect(await cluster.kubectl("get", "deployment", name, "-n", `${name}-staging`, ...ready)).toBe(
    "1",
  );
});

function repositoryWith(yaml: string) {
  const repository = temporaryRepository(yaml === "" ? { README: "" } : { "k8s/web.yaml": yaml });
  execFileSync("git", ["init", "--quiet"], { cwd: repository.directory });
  return repository;
}

function runIn(directory: string) {
  return async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runQvs(directory, args, {
      KUBECONFIG: cluster.kubeconfig,
    });
    expect(code, `qvs ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
}

interface Preview {
  readonly changes: readonly {
    readonly fields: readonly { readonly path: string; readonly source: string }[];
  }[];
}

/**
 * Returns the changed fields, except qvs's labels and the unused annotation of client-side apply.
 */
function fieldsThatChange({ changes }: Preview): readonly unknown[] {
  return changes
    .flatMap(({ fields }) => fields)
    .filter(
      ({ path, source }) => source !== "adoption" || !/^metadata\.(labels|annotations)/.test(path),
    );
}

interface Listed {
  readonly kind: string;
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly labels?: Record<string, string>;
  };
}

/** Returns the live objects with the names of their Pods and their field managers. */
async function stateOf({ kubectl }: TestCluster, namespace: string) {
  const list = async (...names: readonly string[]): Promise<readonly Listed[]> =>
    JSON.parse(await kubectl("get", ...names, "-n", namespace, "-o", "json")).items;
  const [found, pods] = [await list(...objects), await list("pods", "-l", "app=web")];
  return {
    state: {
      objects: found.map(({ kind, spec, data }) => ({ kind, spec, data })),
      pods: pods.map(({ metadata }) => metadata.name).sort(),
    },
    generation: found.find(({ kind }) => kind === "Deployment")?.metadata.generation ?? 0,
    labels: found.map(({ metadata }) => metadata.labels?.["vs.axis-dev.io/deployment"]),
  };
}
