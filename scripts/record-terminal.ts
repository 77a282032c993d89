import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { up } from "../test/cluster/detached.ts";
import { runKubectl } from "../test/cluster/kubectl.ts";
import { installPythonTool } from "../test/cluster/python-tool.ts";

/**
 * `node scripts/record-terminal.ts` records docs/terminal.svg: a preview, a deployment and a rollback of examples/shop on the control
 * plane of `npm run cluster -- up`, as somebody would type them. Nothing in it is made up.
 */
const root = join(import.meta.dirname, "..");
const namespace = "shop-staging";
const { address } = await up({ rollouts: false });
const folder = mkdtempSync(join(tmpdir(), "qvs-recording-"));
const shop = join(folder, "shop");
const env = {
  ...process.env,
  KUBECONFIG: address.kubeconfig,
  PATH: `${folder}:${process.env.PATH}`,
  QVS_CACHE: join(folder, "cache"),
};

/** Types like a person, and leaves time to read. */
const script = `
say() {
  printf '\\033[32m$\\033[0m '
  for ((i = 0; i < \${#1}; i++)); do printf '%s' "\${1:i:1}"; sleep 0.03; done
  sleep 0.4; printf '\\n'
  eval "$1"
}
say "qvs diff -d ${namespace}"
sleep 4; clear
say "qvs deploy -d ${namespace}"
sleep 3
say "qvs rollback -d ${namespace} --to previous --yes"
sleep 3
`;

prepare();
await inNewNamespace();
run("qvs", "deploy", "-d", namespace, "--quiet");
change(".valuestream/params/common.yaml", "Welcome to the shop", "Welcome back");
change(".valuestream/params/common.yaml", "value: 1.0.0", "value: 1.1.0");
commit();
await record();
rmSync(folder, { recursive: true });

function prepare(): void {
  cpSync(join(root, "examples/shop"), shop, { recursive: true });
  const qvs = `#!/bin/sh\nexec ${process.execPath} ${join(root, "dist/cli.js")} "$@"\n`;
  writeFileSync(join(folder, "qvs"), qvs, { mode: 0o755 });
  // Pods of the test's nodes start at once; these take a moment, like real ones.
  change(
    "adapters/web/main.cue",
    "template: {\n",
    'template: {\n\t\t\t\t\tmetadata: annotations: "test.qvs/delay": "3s"\n',
  );
  run("git", "init", "--quiet");
  commit();
}

function commit(): void {
  run("git", "add", "--all");
  run("git", "-c", "user.name=you", "-c", "user.email=you@shop.example", "commit", "-qm", "shop");
}

async function inNewNamespace(): Promise<void> {
  await runKubectl(["delete", "namespace", namespace, "--ignore-not-found", "--wait"], address);
  await runKubectl(["create", "namespace", namespace], address);
}

async function record(): Promise<void> {
  const session = join(folder, "session.sh");
  writeFileSync(session, script);
  const svg = join(folder, "terminal.svg");
  const recorder = await installPythonTool("termtosvg");
  const settings = ["-g", "84x33", "-m", "80", "-M", "4000", "-D", "4000", "-t", "window_frame"];
  // It ends with its input, so that stays open.
  const recording = spawn(recorder, [svg, ...settings, "-c", `bash ${session}`], {
    cwd: shop,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  await once(recording, "close");
  renameSync(svg, join(root, "docs/terminal.svg"));
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd: shop, env, stdio: ["ignore", "ignore", "inherit"] });
}

function change(file: string, from: string, to: string): void {
  const path = join(shop, file);
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
