import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { up } from "../test/support/cluster/detached.ts";
import { runKubectl } from "../test/support/cluster/kubectl.ts";
import { installPythonTool } from "../test/support/cluster/python-tool.ts";

/**
 * `node scripts/record-terminal.ts` records docs/terminal.svg: a preview and a deployment of
 * examples/shop on the control plane of `npm run cluster -- up`. It starts with the finished
 * preview, so that a reader never sees an empty picture. All of the output is real.
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

const size = { columns: 84, rows: 14 };

/** The preview is recorded in a separate terminal, and is shown immediately. */
const preview = join(folder, "preview");

/** Types the second command at the speed of a person, and leaves time to read. */
const script = `
prompt() { printf '\\033[32m$\\033[0m %s' "$1"; }
printf '%s' "$(prompt "qvs diff -d ${namespace}"; printf '\\n'; cat ${preview}; prompt)"
sleep 5; clear
prompt; command="qvs deploy -d ${namespace}"
for ((i = 0; i < \${#command}; i++)); do printf '%s' "\${command:i:1}"; sleep 0.03; done
sleep 0.4; printf '\\n'
eval "$command"
prompt; sleep 5
`;

prepare();
await inNewNamespace();
run("qvs", "deploy", "-d", namespace, "--quiet");
change(".valuestream/params/common.yaml", "value: 1.0.0", "value: 1.1.0");
commit();
writeFileSync(preview, outputOf(`qvs diff -d ${namespace}`));
await record();
rmSync(folder, { recursive: true });

function prepare(): void {
  cpSync(join(root, "examples/shop"), shop, { recursive: true });
  const qvs = `#!/bin/sh\nexec ${process.execPath} ${join(root, "dist/cli.js")} "$@"\n`;
  writeFileSync(join(folder, "qvs"), qvs, { mode: 0o755 });
  // Pods on the simulated nodes start immediately. This change makes them take a moment, like real
  // ones.
  change(
    "adapters/web/main.cue",
    "template: {\n",
    'template: {\n\t\t\t\t\tmetadata: annotations: "test.qvs/delay": "3s"\n',
  );
  change(".valuestream/params/staging.yaml", "replicas: 1", "replicas: 3");
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
  const settings = [
    "-g",
    `${size.columns}x${size.rows}`,
    "-m",
    "80",
    "-M",
    "4000",
    "-D",
    "4000",
    "-t",
    "window_frame",
  ];
  // The recording ends when its input ends, so the input stays open.
  const recording = spawn(recorder, [svg, ...settings, "-c", `bash ${session}`], {
    cwd: shop,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  await once(recording, "close");
  writeFileSync(join(root, "docs/terminal.svg"), readable(readFileSync(svg, "utf8")));
}

/**
 * Returns the picture with bright colors that look like the normal ones. In this theme, bold green
 * is almost black. A reader who prefers no motion sees the first frame.
 */
function readable(svg: string): string {
  const still = "@media (prefers-reduced-motion: reduce) { #screen_view { animation: none } }";
  const bright = /\.color(9|1[0-4]) \{fill: #\w+\}/g;
  return svg
    .replaceAll(bright, (_, number) => {
      const normal = new RegExp(`\\.color${Number(number) - 8} \\{fill: (#\\w+)\\}`).exec(svg);
      return `.color${number} {fill: ${normal?.[1]}}`;
    })
    .replace("]]></style>", () => `    ${still}\n        ]]></style>`);
}

/** Returns the output of a command in a terminal of the recorded size, with its colors. */
function outputOf(command: string): string {
  const sized = `stty columns ${size.columns} rows ${size.rows} && ${command}`;
  const found = execFileSync("script", ["--quiet", "--return", "--command", sized, "/dev/null"], {
    cwd: shop,
    env: { ...env, TERM: "xterm-256color" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = found.trimEnd().split("\r\n");
  // The prompt is above the output, and the cursor below it.
  if (lines.length > size.rows - 2) throw new Error(`The preview has ${lines.length} lines`);
  return `${lines.join("\n")}\n`;
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
