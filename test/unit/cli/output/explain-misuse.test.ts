import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { runCli } from "../../../../src/cli/program/run-cli.ts";
import type { Shell } from "../../../../src/cli/program/shell.ts";
import type { Compiler } from "../../../../src/ports/cue.ts";

/**
 * Returns the error for a line that isn't a command of qvs; nothing in it runs. With columns, the
 * output is a terminal.
 */
async function complaint(line: string, columns?: number): Promise<string> {
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stderr = Object.assign(new PassThrough({ encoding: "utf8" }), terminal);
  const argv = ["node", "qvs", ...(line === "" ? [] : line.split(" "))];
  const shell = { argv, env: {}, cwd: () => "/", stdout: stderr, stderr } as unknown as Shell;
  const { signal } = new AbortController();
  const code = await runCli(shell, {} as Compiler, signal);
  const message = String(stderr.read());
  expect(code, message).toBe(1);
  return message.trimEnd();
}

test.each([
  [
    "dif",
    "error: unknown command 'dif'\n  help: Did you mean diff?\n  help: qvs --help shows the commands",
  ],
  [
    "diff --sumary",
    "error: unknown option '--sumary'\n  help: Did you mean --summary?\n  help: qvs diff --help shows its flags",
  ],
  [
    "help dif",
    "error: unknown command 'dif'\n  help: Did you mean diff?\n  help: qvs --help shows the commands",
  ],
  ["get deploy", "error: unknown command 'deploy'\n  help: qvs get --help shows its commands"],
  [
    "environments creat --number 3",
    "error: unknown command 'creat'\n  help: Did you mean create?\n  help: qvs environments --help shows its commands",
  ],
  [
    "environments help",
    "error: unknown command 'help'\n  help: qvs environments --help shows its commands",
  ],
  [
    "releases shw 3",
    "error: unknown command 'shw'\n  help: Did you mean show?\n  help: qvs releases --help shows its commands",
  ],
  [
    "rbac environmets",
    "error: value 'environmets' is invalid for argument 'for'. Allowed choices are preview, deploy, rollback, drift, reconcile, delete, environments.\n  help: Did you mean environments?\n  help: qvs rbac --help shows its flags",
  ],
  [
    "status --format jsn",
    "error: option '--format <format>' argument 'jsn' is invalid. Allowed choices are text, json, yaml.\n  help: Did you mean json?\n  help: qvs status --help shows its flags",
  ],
  [
    "help environments creat",
    "error: unknown command 'creat'\n  help: Did you mean create?\n  help: qvs environments --help shows its commands",
  ],
  [
    "health foo",
    "error: value 'foo' is invalid for argument 'kind/name'. Write KIND/NAME, for example deploy/web.\n  help: qvs health --help shows its flags",
  ],
  ["get releases", "error: unknown command 'releases'\n  help: Did you mean qvs releases?"],
  ["owners deploy/web", "error: unknown command 'owners'\n  help: Did you mean qvs get owners?"],
  [
    "-d shop diff",
    "error: unknown option '-d'\n  help: Put the flags after the command: qvs diff -d shop",
  ],
  [
    "--takeover=kubectl",
    "error: unknown option '--takeover=kubectl'\n  help: qvs --help shows the commands",
  ],
  [
    "--param token=hunter2 diff",
    "error: unknown option '--param'\n  help: Put the flags after the command: qvs diff -d NAME",
  ],
  [
    "diff shop",
    "error: too many arguments for 'diff'. Expected 0 arguments but got 1: shop.\n  help: Choose a deployment with a flag: qvs diff -d shop",
  ],
  [
    "delete shop --dry-run",
    "error: too many arguments for 'delete'. Expected 0 arguments but got 1: shop.\n  help: Choose a deployment with a flag: qvs delete -d shop",
  ],
  [
    "lock shop",
    "error: too many arguments for 'lock'. Expected 0 arguments but got 1: shop.\n  help: qvs lock --help shows its flags",
  ],
])("qvs %s", async (line, expected) => {
  expect(await complaint(line)).toBe(expected);
});

test.each(["zz", "", "1321e3b", "1321E3B0D268", "g".repeat(64), "0".repeat(65)])(
  "%j isn't the digest of a plan",
  async (digest) => {
    for (const command of ["deploy", "rollback", "delete"]) {
      const message = await complaint(`${command} --expect-digest ${digest}`);
      expect(message).toContain("Write at least 8 characters of a plan's digest");
    }
  },
);

test.each([
  "reconcile -A without --watch",
  "reconcile --namespaces a,b without --watch",
  "reconcile --resync 1m without --watch",
  "reconcile --workers 2 without --watch",
  "reconcile --group other without --watch",
  "reconcile --group-namespace other without --watch",
  "reconcile --lease-duration 20s without --watch",
  "reconcile --listen :9090 without --watch",
  "reconcile --watch -A --image mine without --print-install",
  "status --timeout 1m without --watch",
  "compile --crds crds without --check",
  "changed --all --kubeconfig file without --base",
  "init --without-secrets without --from",
  "init --kubeconfig file without --from",
  "init --context staging without --from",
])("a flag without effect is rejected: qvs %s", async (line) => {
  const [, given = "", other = ""] = /^(.*) without (.*)$/.exec(line) ?? [];
  expect(await complaint(given)).toMatch(
    new RegExp(
      `^error\\[conflicting-flags\\]: --\\S+ has no effect without ${other}.*\n  help: Add ${other}.*\n  help: or remove --`,
    ),
  );
});

test.each([
  ["init --from k8s --image mine", "'--image <image>'", "'--from <manifests>'"],
  ["init --from k8s --port 80", "'--port <port>'", "'--from <manifests>'"],
  ["get types -A -n shop", "'-A, --all-namespaces'", "'-n, --namespace <name>'"],
  ["drift -A -n shop", "'-A, --all-namespaces'", "'-n, --namespace <name>'"],
  ["drift --namespaces a -n shop", "'--namespaces <names>'", "'-n, --namespace <name>'"],
  ["describe web -c qvs.yaml -d shop", "'-d, --deployment <name>'", "'-c, --config <file>'"],
  ["schema config -c qvs.yaml -d shop", "'-d, --deployment <name>'", "'-c, --config <file>'"],
  ["reconcile --print-install --listen :1", "'--listen <address>'", "'--print-install'"],
])("a flag that would be ignored is rejected: qvs %s", async (line, one, other) => {
  expect(await complaint(line)).toContain(
    `error: option ${one} cannot be used with option ${other}`,
  );
});

test("lines are broken between words on a terminal", async () => {
  const message = await complaint("deploy --timeout 90", 60);
  expect(stripVTControlCharacters(message)).toBe(`\
error: option '--timeout <duration>' argument '90' is
  invalid. Write a number above 0 followed by s, m or h, for
  example 90s or 10m.
  help: qvs deploy --help shows its flags`);
});

test.each([60, 80, 200])(
  "the help of qvs fits %i columns, including the first steps",
  async (columns) => {
    const lines = (await complaint("", columns)).split("\n");
    expect(lines.filter((line) => line.length > Math.min(columns, 100))).toEqual([]);
    expect(lines.join(" ").replaceAll(/\s+/g, " ")).toContain(
      "adapter, its deployments and workflows qvs init --from",
    );
  },
);
