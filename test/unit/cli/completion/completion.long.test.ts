import { execFile } from "node:child_process";
import { chmodSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { completionScripts } from "../../../../src/cli/completion/completion.ts";
import { startCompiler } from "../../../support/cue/native.ts";
import { temporaryRepository } from "../../../support/git/temporary-repository.ts";
import { qvsProgram } from "../../../support/qvs/qvs-program.ts";
import { runHere } from "../../../support/qvs/run-here.ts";
import { compileCache, startQvs } from "../../../support/qvs/run-qvs.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const files = {
  ".valuestream/deployments.yaml": `deployments:
  - {name: shop-staging, config: qvs.yaml}
  - {name: shop-production, config: qvs.yaml}
`,
  "other/.valuestream/deployments.yaml": "deployments: [{name: other, config: qvs.yaml}]\n",
  kubeconfig: `apiVersion: v1
kind: Config
contexts:
  - {name: "arn:aws:eks:eu:1:cluster/a", context: {cluster: a, user: a}}
  - {name: kind, context: {cluster: a, user: a}}
`,
  hostile: JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    contexts: [
      ...[
        "$(touch a)",
        "`id`",
        "a;id",
        "a\nb",
        "a b",
        "a'b",
        'a"b',
        "a\\b",
        "a\u001b[31m",
        "a|b",
        "a>b",
      ],
      ...[
        "a&b",
        "-a",
        ":files",
        "~a",
        "=a",
        "a*",
        "a?",
        "{a,b}",
        "a#b",
        "!a",
        "a!b",
        "a\tb",
        "",
        "a\u202e",
      ],
      ...["admin@it", "größe/1:2,3=4+5%"],
    ].map((name) => ({ name, context: { cluster: "a", user: "a" } })),
  }),
};

test.each([
  ["dep", "deploy"],
  ["help dep", "deploy"],
  ["completion ", "bash fish zsh"],
  ["diff -d ", "shop-production shop-staging"],
  ["diff --deployment shop-p", "shop-production"],
  ["diff --deployment=shop-p", "--deployment=shop-production"],
  ["-C other deploy -d ", "other"],
  ["diff --kubeconfig kubeconfig --context ", "arn:aws:eks:eu:1:cluster/a kind"],
  ["diff --kubeconfig nothing --context ", ""],
  ["diff --kubeconfig hostile --context ", "admin@it größe/1:2,3=4+5%"],
  ["diff --conflicts ", "fail force"],
  ["diff --conf", "--config --conflicts"],
  ["--vers", "--version"],
  ["compile --vers", ""],
  ["compile -p ", ":files"],
  ["compile --params=", ":files"],
  ["rollback --to ", "previous"],
  ["deploy --timeout ", ""],
  ["get ", "deployments instances owners types"],
  ["get de", "deployments"],
  ["get instances Stat", "StatefulSet"],
  ["get types --kind Ing", "Ingress"],
  ["why shop-p", "shop-production"],
  ["why shop-production Stat", "StatefulSet/"],
  ["why shop-production deploy/web ", ""],
  ["releases ", "diff show"],
  ["releases show --fo", "--format"],
  ["releases -d shop-s", "shop-staging"],
  [
    "nothing ",
    "changed compile completion delete deploy describe diff drift environments get graph health help init lock outdated rbac reconcile releases rollback schema status why",
  ],
])("qvs %s[Tab] completes to %s", async (line, expected) => {
  const { directory } = temporaryRepository(files);
  const { code, stdout } = await runHere(
    directory,
    ["__complete", "--", ...line.split(" ")],
    compiler,
  );
  const texts = stdout.split("\n").filter(Boolean);
  expect(code).toBe(0);
  expect(
    texts
      .map((each) => each.split("\t")[0])
      .sort()
      .join(" "),
  ).toBe(expected);
});

/**
 * Runs the functions that bash calls after a Tab. Only `compopt`, which needs an interactive line,
 * is replaced.
 */
async function bash(line: string): Promise<string> {
  const repository = temporaryRepository({
    ...files,
    qvs: `#!/bin/sh\nexec "${process.execPath}" "${qvsProgram}" "$@"\n`,
  });
  chmodSync(join(repository.directory, "qvs"), 0o755);
  const script = `${completionScripts.bash}
compopt() { :; }
COMP_LINE="$1"; COMP_POINT=\${#1}; _qvs; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script, "bash", line], {
    cwd: repository.directory,
    env: {
      PATH: [repository.directory, process.env.PATH].join(delimiter),
      KUBECONFIG: "kubeconfig",
      NODE_COMPILE_CACHE: compileCache,
    },
  });
  return stdout.split("\n").filter(Boolean).sort().join(" ");
}

test.each([
  ["qvs dep", "deploy"],
  ["qvs diff -d ", "shop-production shop-staging"],
  ["qvs diff --deployment=shop-p", "shop-production"],
  ["qvs diff --context arn:aws:e", "eks:eu:1:cluster/a"],
  ["qvs compile -p kube", "kubeconfig"],
  ["qvs compile --params=kube", "kubeconfig"],
])("in bash, %s[Tab] appends %s to the words that bash keeps", async (line, expected) => {
  expect(await bash(line)).toBe(expected);
});

test("an unresponsive cluster completes nothing and doesn't block", async () => {
  const server = createServer(() => {});
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "silent",
    clusters: [{ name: "silent", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "dev", user: {} }],
    contexts: [{ name: "silent", context: { cluster: "silent", user: "dev" } }],
  });
  const { directory } = temporaryRepository({ ...files, silent: kubeconfig });
  const line = ["status", "--kubeconfig", "silent", "-d", "shop-s"];
  const { code, stdout } = await startQvs(directory, ["__complete", "--", ...line]).result;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "shop-staging\t\n" });
});
