import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/** A repository of adapters, without any QVS config. */
const adapterFiles = {
  "cue.mod/module.cue": 'module: "team.example/adapters"\nlanguage: version: "v0.12.0"\n',
  "types/types.cue": `package types
#Secret: {key: string, version?: string}
// A port of the container.
#Port: {
	// Unique in the list.
	name: string
	port: int & >0 & <65536
	protocol: *"TCP" | "UDP"
}
`,
  "api/main.cue": `// Package api runs an API.
package api

import "team.example/adapters/types"

DesignPattern: {
	name: "team:api"
	description: "An API, with <b>everything</b> | and @everyone."
	parameters: {
		appName: string // in lower case
		// How many Pods there are; \u001b[31mred\u001b[0m.
		replicas: int & >0 & <=20 | *2
		host: string | *"\\(appName).team.example"
		ports: [...types.#Port]
		token?: types.#Secret
		if replicas > 10 {
			approvedBy: string
		}
	}
	composites: [{pattern: {name: "inline", parameters: {}}, params: {}, group: "g"}]
	resources: appSetup: namespace: kind: "Namespace"
	resources: app: "\\(parameters.appName)": kind: "Deployment"
	resources: app: service: kind: "Service"
}
`,
  "several/one.cue": "package one\nDesignPattern: parameters: a: string\n",
  "several/two.cue": "package two\nDesignPattern: pipelines: {}\n",
};

function qvs(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return runHere(temporaryRepository(files).directory, ["describe", ...args], compiler);
}

test("qvs describes an adapter of a repository without a QVS config, by its import path or directory", async () => {
  const expected = golden("api.txt");
  expect(await qvs(adapterFiles, "team.example/adapters/api")).toEqual(expected);
  expect(await qvs(adapterFiles, "./api")).toEqual(expected);
  expect(await qvs(adapterFiles, "./api:api")).toEqual(expected);
});

test("qvs describes adapters in Markdown and escapes Markdown in their text", async () => {
  expect(await qvs(adapterFiles, "./api", "--format", "markdown")).toEqual(golden("api.md"));
});

test("qvs describes all adapters of a module, as text and as a document to commit", async () => {
  expect(await qvs(adapterFiles, "--module")).toEqual(golden("module.txt"));
  expect(await qvs(adapterFiles, "--module", "--format", "markdown")).toEqual(golden("module.md"));
  const { code, stdout } = await qvs(adapterFiles, "--module", ".", "--format", "json");
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([
    0,
    [
      "team.example/adapters/api",
      "team.example/adapters/several:one",
      "team.example/adapters/several:two",
    ],
  ]);
});

test("adapters that don't load are listed with their reason, and the others are described", async () => {
  const files = { ...adapterFiles, "broken/main.cue": "package broken\nDesignPattern: {a: b}\n" };
  const { code, stdout, stderr } = await qvs(files, "--module");
  expect(code).toBe(1);
  expect(stdout).toContain(
    "4 adapters in team.example/adapters, 1 with pipelines only, 1 that qvs can't describe",
  );
  expect(stdout).toMatch(/^broken\n {2}qvs can't describe it, see below$/m);
  expect(
    stderr,
  ).toBe(`error[invalid-cue]: Adapter "team.example/adapters/broken": "b" isn't declared here
  --> broken/main.cue:2:20
  help: Did you mean "a"?
`);
  const document = await qvs(files, "--module", "--format", "markdown");
  expect(document.stdout).toContain(
    "## `team.example/adapters/broken`\n\nqvs can't describe this adapter:",
  );
});

test("qvs describes the adapters of a QVS config, a chosen one or the only one", async () => {
  const found = await qvs(shopFiles, "shop.example/adapters/web");
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(found.stdout).toContain('  size      "small" | "large"                required   :8\n');
  const chosen = await qvs(shopFiles, "shop.example/adapters/web", "-c", ".valuestream/qvs.yaml");
  expect(chosen).toEqual(found);
});

function notThere(pattern: string, meant: string): string {
  return [
    `error[unknown-pattern]: Adapter "${pattern}" doesn't exist`,
    "  modules: team.example/adapters",
    `  help: Did you mean ${meant}?`,
    "  help: or list all adapters with qvs describe --module",
  ].join("\n");
}

test.each([
  [
    "a pattern that doesn't exist",
    adapterFiles,
    ["team.example/adapters/apo"],
    notThere("team.example/adapters/apo", '"team.example/adapters/api"'),
  ],
  [
    "the end of a pattern",
    adapterFiles,
    ["several:one"],
    notThere("several:one", '"team.example/adapters/several:one"'),
  ],
  [
    "a directory with several packages, without their names",
    adapterFiles,
    ["team.example/adapters/several"],
    notThere(
      "team.example/adapters/several",
      '"team.example/adapters/several:one" or "team.example/adapters/several:two"',
    ),
  ],
  [
    "the path of a directory with several packages",
    adapterFiles,
    ["./several"],
    'error[ambiguous-selection]: "several" contains several adapters\n  help: Choose one: team.example/adapters/several:one, team.example/adapters/several:two',
  ],
  [
    "a package without an adapter",
    adapterFiles,
    ["./types"],
    'error[unknown-pattern]: "types" contains no adapter\n  help: List all adapters with qvs describe --module',
  ],
  [
    "a directory outside the repository",
    adapterFiles,
    ["../elsewhere"],
    'error[path-outside-repository]: "../elsewhere" is outside the repository\n  repository: DIRECTORY\n  help: Choose a path inside the repository',
  ],
  [
    "no pattern",
    adapterFiles,
    [],
    "error[invalid-input]: No adapter is named\n  help: Add the import path of an adapter\n  help: or add --module to describe all adapters",
  ],
  [
    "a pattern and a module",
    adapterFiles,
    ["./api", "--module", "team.example/adapters"],
    "error[conflicting-flags]: PATTERN can't be combined with --module\n  help: Remove one of the two",
  ],
  [
    "another module",
    adapterFiles,
    ["--module", "other.example/adapters"],
    'error[unknown-module]: Module "other.example/adapters" doesn\'t exist here\n  help: Choose one: qvs describe --module team.example/adapters',
  ],
  [
    "no module at all",
    { "README.md": "" },
    ["--module"],
    "error[unknown-module]: This directory has no module with adapters\n  help: Change to a directory with cue.mod/module.cue\n  help: or name a config that has modules with --config",
  ],
  [
    "a config that doesn't exist",
    adapterFiles,
    ["./api", "--config", "qvs.yaml"],
    'error[config-not-found]: Config "qvs.yaml" doesn\'t exist\n  help: Correct the path, which is shown from the root of the repository\n  help: or commit the file: the Action reads only committed files',
  ],
  [
    "a module without a name",
    { ...adapterFiles, "cue.mod/module.cue": 'language: version: "v0.12.0"\n' },
    ["--module"],
    'error[invalid-module-file]: "cue.mod/module.cue": the module has no path\n  --> cue.mod/module.cue:1:1\n  help: Add module: "acme.example/adapters"',
  ],
])("%s is an error with a fix", async (_, files, args, expected) => {
  const { directory } = temporaryRepository(files as Record<string, string>);
  const { code, stdout, stderr } = await runHere(directory, ["describe", ...args], compiler);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.replaceAll(directory, "DIRECTORY")).toBe(`${expected}\n`);
});

function golden(file: string) {
  const stdout = readFileSync(join(import.meta.dirname, "../report/describe/golden", file), "utf8");
  return { code: 0, stdout, stderr: "" };
}
