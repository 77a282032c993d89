import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";
import { writesIn } from "../test/cluster/audit.ts";
import { down, up } from "../test/cluster/detached.ts";
import { runKubectl } from "../test/cluster/kubectl.ts";

/**
 * The shop of examples/ on a real control plane: deployed, deployed again, changed, and broken. Each step is checked
 * against what the API server holds. `--once` stops everything at the end and exits with 0 only if all of it held.
 */
const { values: options } = parseArgs({ options: { once: { type: "boolean", default: false } } });
const qvs = join(import.meta.dirname, "../dist/cli.js");
const namespace = "shop-staging";
const failures: string[] = [];

say(
  "A real control plane: etcd, API server, controllers, scheduler (the first start builds them, some minutes)",
);
const { address } = await up({ rollouts: false });
const shop = createShop();
await prepareNamespace();

say("1. Deploy: appSetup, then app; the Deployment waits for its ConfigMap and its ExternalSecret");
const first = await deploy();
expect("the deployment succeeds", first.code === 0);
expect("the shop runs", (await read("deployment/shop", "{.status.availableReplicas}")) === "1");
expect(
  "the cache came with its group",
  (await read("deployment/shop-cache", "{.status.availableReplicas}")) === "1",
);
const oldSettings = await settingsInUse();

say("2. Deploy the same again: nothing to do");
const before = await writes();
expect("the deployment succeeds", (await deploy()).code === 0);
expect(
  "nothing was written but the record and its lock",
  (await writes()).slice(before.length).every(isRecord),
);

say("3. Change a value: a new ConfigMap, a rollout that uses it, and only then the old one goes");
change(".valuestream/params/common.yaml", "Welcome to the shop", "Welcome back");
const seen = await writes();
expect("the deployment succeeds", (await deploy()).code === 0);
const newSettings = await settingsInUse();
const order = (await writes()).slice(seen.length).filter((write) => !isRecord(write));
for (const write of order) console.error(`   API server: ${write}`);
expect(
  "create, update, delete: in this order",
  order.join("\n") ===
    [
      `patch ConfigMap ${namespace}/${newSettings}`,
      `patch Deployment ${namespace}/shop`,
      `delete ConfigMap ${namespace}/${oldSettings}`,
    ].join("\n"),
);

say("4. An image that cannot be pulled: the rollout fails, and what serves stays as it is");
change(".valuestream/params/common.yaml", "Welcome back", "Never seen");
change(".valuestream/params/common.yaml", "value: 1.0.0", "value: does-not-exist");
const untilNow = await writes();
const broken = await deploy("--timeout", "12s");
expect("the deployment fails", broken.code === 1);
expect(
  "it says why: the image cannot be pulled",
  /ImagePullBackOff|ErrImagePull/.test(broken.output),
);
expect("the ConfigMap that serves still stands", (await names("configmap")).includes(newSettings));
expect(
  "the old Pod still serves",
  (await read("deployment/shop", "{.status.availableReplicas}")) === "1",
);
const sinceThen = (await writes()).slice(untilNow.length);
expect("nothing was deleted", !sinceThen.some((write) => write.startsWith("delete")));

await finish();

async function finish(): Promise<void> {
  say(failures.length === 0 ? "All of it held." : `${failures.length} expectations did not hold:`);
  for (const failure of failures) console.error(`   ${failure}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
  if (options.once) {
    await down();
    rmSync(shop, { recursive: true });
    return;
  }
  console.error(`
Look around:
  export KUBECONFIG=${address.kubeconfig}
  ${address.kubectl} -n ${namespace} get deployments,configmaps,pods,secrets
  cd ${shop} && ${process.execPath} ${qvs} diff -d shop-staging

Stop it:
  npm run cluster -- down`);
}

/** A repository of its own: adapters, config and params of the example. */
function createShop(): string {
  const directory = mkdtempSync(join(tmpdir(), "qvs-demo-"));
  cpSync(join(import.meta.dirname, "../examples/shop"), directory, { recursive: true });
  return directory;
}

/** A new namespace, also when an earlier demo left one behind. */
async function prepareNamespace(): Promise<void> {
  await runKubectl(["delete", "namespace", namespace, "--ignore-not-found", "--wait"], address);
  await runKubectl(["create", "namespace", namespace], address);
}

function deploy(...args: string[]): Promise<{ code: number; output: string }> {
  const command = [qvs, "deploy", "--deployment", "shop-staging", ...args];
  console.error(styleText("dim", `   $ qvs ${command.slice(1).join(" ")}`));
  const env = { ...process.env, KUBECONFIG: address.kubeconfig };
  // On a terminal the user sees the live tree; its text is wanted as well when it fails.
  const child = spawn(process.execPath, command, {
    cwd: shop,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    process.stderr.write(chunk.toString().replaceAll(/^/gm, "   ").replace(/ {3}$/, ""));
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return new Promise((resolve) =>
    child.on("close", (code) => resolve({ code: code ?? 1, output })),
  );
}

function change(file: string, from: string, to: string): void {
  const path = join(shop, file);
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not contain "${from}"`);
  writeFileSync(path, text.replace(from, to));
  console.error(styleText("dim", `   ${file}: ${from} → ${to}`));
}

async function settingsInUse(): Promise<string> {
  return read("deployment/shop", "{.spec.template.spec.volumes[0].configMap.name}");
}

async function read(object: string, path: string): Promise<string> {
  const get = ["get", object, "--ignore-not-found", "-n", namespace, "-o", `jsonpath=${path}`];
  return (await runKubectl(get, address)).trim();
}

async function names(kind: string): Promise<readonly string[]> {
  const list = await runKubectl(
    ["get", kind, "-n", namespace, "-o", "jsonpath={.items[*].metadata.name}"],
    address,
  );
  return list.split(/\s+/);
}

/** What qvs has written so far, from the API server's audit log. */
async function writes(): Promise<readonly string[]> {
  const kinds = new Map([
    ["configmaps", "ConfigMap"],
    ["secrets", "Secret"],
    ["deployments.apps", "Deployment"],
    ["services", "Service"],
    ["leases.coordination.k8s.io", "Lease"],
    ["externalsecrets.external-secrets.io", "ExternalSecret"],
  ]);
  // The API server logs an event just after it has answered.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return writesIn(readFileSync(address.auditLog, "utf8"), namespace, "admin", kinds);
}

function isRecord(write: string): boolean {
  return / (Secret|Lease) /.test(write);
}

function expect(what: string, holds: boolean): void {
  console.error(holds ? styleText("green", `   ✔ ${what}`) : styleText("red", `   ✘ ${what}`));
  if (!holds) failures.push(what);
}

function say(text: string): void {
  console.error(`\n${styleText("bold", text)}`);
}
