import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify, styleText } from "node:util";
import { writesIn } from "../test/support/cluster/audit.ts";
import { down, up } from "../test/support/cluster/detached.ts";

/**
 * Deploys the output of `qvs init`, deploys it again, changes it, and breaks it. It runs on its own
 * control plane, or on the cluster of `--kubeconfig` in a namespace that must not exist yet. Each
 * step is compared with the objects in the cluster. `--once` removes everything at the end; the
 * exit code is 0 only if each check passed.
 */
const { values: options } = parseArgs({
  options: { once: { type: "boolean", default: false }, kubeconfig: { type: "string" } },
});
const qvs = join(import.meta.dirname, "../dist/cli.js");
const deployment = "qvs-demo-staging";
const namespace = deployment;
const web = "deployment/qvs-demo";
const failures: string[] = [];

showHeading(
  options.kubeconfig === undefined
    ? "A real control plane: etcd, API server, controllers, scheduler (the first start builds them, some minutes)"
    : `The cluster of ${options.kubeconfig}`,
);
const cluster = await clusterToUse();
const folder = mkdtempSync(join(tmpdir(), "qvs-demo-"));
await prepareNamespace();

showHeading(
  "1. A repository: `qvs init` writes an adapter, its params for two environments, and the workflows",
);
const initFlags = { name: "qvs-demo", namespace: "qvs-demo", port: "80", image: "nginx:1.29" };
await run("init", ...Object.entries(initFlags).flatMap(([name, value]) => [`--${name}`, value]));

showHeading("2. Deploy: the namespace, then the rest; the Deployment waits for its ConfigMap");
const first = await deploy();
expect("the deployment succeeds", first.code === 0);
expect("the application runs", (await read(web, "{.status.availableReplicas}")) === "1");
const oldSettings = await settingsInUse();

showHeading("3. Deploy again without a change: nothing to do");
const before = await writes();
expect("the deployment succeeds", (await deploy()).code === 0);
await expectWrites("nothing was written but the record and its lock", before, (since) =>
  since.every(isRecord),
);

showHeading(
  "4. Change a value: a new ConfigMap, a rollout that uses it, and only then the old one is deleted",
);
change(".valuestream/qvs.yaml", "GREETING: hello", "GREETING: welcome back");
const page = join(folder, "preview.html");
writeFileSync(page, (await run("diff", "-d", deployment, "--format", "html")).output);
const seen = await writes();
expect("the deployment succeeds", (await deploy()).code === 0);
const newSettings = await settingsInUse();
await expectWrites("create, update, delete: in this order", seen, (since) => {
  const order = since.filter((write) => !isRecord(write));
  for (const write of order) console.error(`   API server: ${write}`);
  return (
    order.join("\n") ===
    [
      `patch ConfigMap ${namespace}/${newSettings}`,
      `patch Deployment ${namespace}/qvs-demo`,
      `delete ConfigMap ${namespace}/${oldSettings}`,
    ].join("\n")
  );
});
expect("the old ConfigMap is deleted", !(await names("configmap")).includes(oldSettings));

showHeading("5. An image that can't be pulled: the rollout fails, and the running Pods stay");
change(".valuestream/qvs.yaml", "GREETING: welcome back", "GREETING: never seen");
change(".valuestream/params/staging.yaml", "nginx:1.29", "nginx:does-not-exist");
const untilNow = await writes();
const broken = await deploy("--timeout", "30s");
expect("the deployment fails", broken.code === 1);
expect(
  "the error names the cause: the image can't be pulled",
  /ImagePullBackOff|ErrImagePull/.test(broken.output),
);
expect(
  "the ConfigMap of the running Pods still exists",
  (await names("configmap")).includes(newSettings),
);
expect("the old Pod still runs", (await read(web, "{.status.availableReplicas}")) === "1");
await expectWrites("nothing was deleted", untilNow, (since) =>
  since.every((write) => !write.startsWith("delete")),
);

await finish();

interface DemoCluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** The audit log of the demo's own control plane. Another cluster's log can't be read. */
  readonly auditLog: string | undefined;
}

async function clusterToUse(): Promise<DemoCluster> {
  const { kubeconfig } = options;
  if (kubeconfig !== undefined) return { kubeconfig, kubectl: "kubectl", auditLog: undefined };
  return (await up({ rollouts: false })).address;
}

async function finish(): Promise<void> {
  showHeading(failures.length === 0 ? "All checks passed." : `${failures.length} checks failed:`);
  for (const failure of failures) console.error(`   ${failure}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
  const isOwn = options.kubeconfig === undefined;
  if (options.once) {
    if (isOwn) await down();
    else await kubectl("delete", "namespace", namespace, "--wait");
    rmSync(folder, { recursive: true });
    return;
  }
  console.error(`
The preview of step 4, as a page for a browser:
  ${page}

Look around:
  export KUBECONFIG=${cluster.kubeconfig}
  ${cluster.kubectl} -n ${namespace} get deployments,configmaps,pods,secrets
  cd ${folder} && ${process.execPath} ${qvs} diff -d ${deployment}

Remove it:
  ${isOwn ? "npm run cluster -- down" : `kubectl delete namespace ${namespace}`}`);
}

/**
 * Replaces the namespace of an earlier demo on the demo's own control plane. On other clusters,
 * nothing is deleted.
 */
async function prepareNamespace(): Promise<void> {
  if (options.kubeconfig === undefined) {
    await kubectl("delete", "namespace", namespace, "--ignore-not-found", "--wait");
    return;
  }
  const found = await kubectl("get", "namespace", namespace, "--ignore-not-found", "-o", "name");
  if (found.trim() === "") return;
  console.error(`The namespace ${namespace} exists: remove it, if it is from an earlier demo.`);
  process.exit(1);
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const flags = ["--kubeconfig", cluster.kubeconfig, ...args];
  return (await promisify(execFile)(cluster.kubectl, flags)).stdout;
}

function deploy(...args: readonly string[]) {
  return run("deploy", "--deployment", deployment, ...args);
}

function run(...args: readonly string[]): Promise<{ code: number; output: string }> {
  console.error(styleText("dim", `   $ qvs ${args.join(" ")}`));
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
  const isQuiet = args.includes("html");
  const child = spawn(process.execPath, [qvs, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    if (isQuiet) return;
    process.stderr.write(chunk.toString().replaceAll(/^/gm, "   ").replace(/ {3}$/, ""));
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return new Promise((resolve) =>
    child.on("close", (code) => resolve({ code: code ?? 1, output })),
  );
}

function change(file: string, from: string, to: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not contain "${from}"`);
  writeFileSync(path, text.replace(from, to));
  console.error(styleText("dim", `   ${file}: ${from} → ${to}`));
}

async function settingsInUse(): Promise<string> {
  return read(web, "{.spec.template.spec.containers[0].envFrom[0].configMapRef.name}");
}

async function read(object: string, path: string): Promise<string> {
  const get = ["get", object, "--ignore-not-found", "-n", namespace, "-o", `jsonpath=${path}`];
  return (await kubectl(...get)).trim();
}

async function names(kind: string): Promise<readonly string[]> {
  const list = await kubectl(
    "get",
    kind,
    "-n",
    namespace,
    "-o",
    "jsonpath={.items[*].metadata.name}",
  );
  return list.split(/\s+/);
}

/**
 * Returns the writes of qvs until now, from the API server's audit log; undefined if the log can't
 * be read.
 */
async function writes(): Promise<readonly string[] | undefined> {
  if (cluster.auditLog === undefined) return undefined;
  const kinds = new Map([
    ["configmaps", "ConfigMap"],
    ["secrets", "Secret"],
    ["deployments.apps", "Deployment"],
    ["services", "Service"],
    ["leases.coordination.k8s.io", "Lease"],
  ]);
  // The API server logs an event shortly after its response.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const lines = readFileSync(cluster.auditLog, "utf8").split("\n");
  const ours = lines.filter((line) => line.includes(namespace));
  return writesIn(ours, namespace, "admin", kinds);
}

async function expectWrites(
  what: string,
  before: readonly string[] | undefined,
  holds: (since: readonly string[]) => boolean,
): Promise<void> {
  const all = await writes();
  if (all !== undefined && before !== undefined) expect(what, holds(all.slice(before.length)));
}

function isRecord(write: string): boolean {
  return / (Secret|Lease) /.test(write);
}

function expect(what: string, holds: boolean): void {
  console.error(holds ? styleText("green", `   ✔ ${what}`) : styleText("red", `   ✘ ${what}`));
  if (!holds) failures.push(what);
}

function showHeading(text: string): void {
  console.error(`\n${styleText("bold", text)}`);
}
