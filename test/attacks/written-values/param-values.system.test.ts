import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runQvs } from "../../support/qvs/run-qvs.ts";

const cluster = useCluster();

/**
 * Names that outputs once didn't treat as secret, although a preview did. `login` is secret because
 * an adapter declares it.
 */
const names = ["dbPass", "privateKey", "signing_key", "pwd", "pin", "connStr", "login"];
const former = (name: string) => `OLD-${name}-hunter2's \\"&OLD`;
const rotated = (name: string) => `NEW-${name}-hunter3's \\"&NEW`;

const adapter = (data: string) => `
package m

DesignPattern: {
	parameters: {${names.map(paramOf).join(": string, ")}: string, v: string}
	resources: app: c: {
		provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap"
		metadata: name: "c"
		data: {v: parameters.v, ${data}}
	}
}
`;
const paramOf = (name: string) => (name === "login" ? "password" : name);
/** Objects with the value itself, and with a longer text that contains it. */
const withValues = names
  .map(
    (name) =>
      `${name}: parameters.${paramOf(name)}, "${name}.properties": "a=\\(parameters.${paramOf(name)})"`,
  )
  .join(", ");

test("no output about releases shows a secret from the command line, whatever the param's name", async () => {
  const place = await cluster.namespace("demo");
  const repo = temporaryRepository({
    ".valuestream/deployments.yaml": "deployments: [{name: demo, config: qvs.yaml}]",
    ".valuestream/qvs.yaml": `
params: [${names.map((name) => `{name: ${name}, type: string}`).join(", ")}, {name: v, type: string}]
modules: [{name: demo.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - pattern: demo.example/adapters/m
    params: {${[...names, "v"].map((name) => `${paramOf(name)}: $(params.${name})`).join(", ")}}
`,
    "adapters/cue.mod/module.cue": `module: "demo.example/adapters"\nlanguage: version: "v0.12.0"\n`,
    "adapters/m/main.cue": adapter(withValues),
  });
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const given = (value: (name: string) => string, v: string) =>
    [...names.map((name) => `${name}=${value(name)}`), `v=${v}`].flatMap((one) => ["--param", one]);
  const leaks: string[] = [];
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr, code } = await runQvs(repo.directory, [...args, "-n", place], env);
    const text = stdout + stderr;
    if (/hunter[23]/.test(text)) leaks.push(`${args.slice(0, 3).join(" ")}: ${text}`);
    return { text, code };
  };
  const one = ["-d", "demo"];
  await run("diff", ...given(former, "1"));
  expect((await run("deploy", ...given(former, "1"))).code).toBe(0);
  await run("diff", ...given(rotated, "1"));
  await run("releases", "show", "1", ...one);
  await run("releases", "show", "1", ...one, "--manifests");
  await run("releases", "show", "1", ...one, "--format", "json");
  expect((await run("releases", "show", "1", ...one, "--input")).text).toContain("v: (hidden)");
  const patch = JSON.stringify({ data: Object.fromEntries(names.map((name) => [name, "x"])) });
  await cluster.kubectl("patch", "configmap", "c", "-n", place, "--type", "merge", "-p", patch);
  for (const format of ["text", "markdown", "json"]) {
    expect((await run("drift", ...one, "--format", format)).code).toBe(2);
  }
  // A pull request removes the lines, and the secret store already has newer values.
  repo.write("adapters/m/main.cue", adapter('gone: "yes"'));
  expect((await run("diff", ...given(rotated, "1"))).text).toContain("(hidden)");
  repo.write("adapters/m/main.cue", adapter(withValues));
  await run("deploy", ...given(rotated, "2"), "--conflicts", "force");
  expect((await run("releases", "diff", "1", ...one)).text).toContain('v: "2"');
  expect((await run("rollback", "--to", "1", ...one, "--dry-run")).text).toContain('v: "1"');
  expect(leaks.join("\n")).toBe("");
});
