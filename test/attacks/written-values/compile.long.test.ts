import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { expectNone } from "../../support/markers.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { attacks } from "../attack.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/** The values, by the way in which qvs receives them. */
const given = {
  plain: "XQZJKVWYAA",
  password: "XQZJKVWYBB",
  inline: "XQZJKVWYCC",
  nested: "XQZJKVWYDD",
  composite: "XQZJKVWYEE",
};
const inlineFlags = ["--param", `inline=${given.inline}`];

const files = {
  ".valuestream/qvs.yaml": `
params: [{name: plain, type: string}, {name: dbPassword, type: string}, {name: inline, type: string}]
modules: [{name: shop.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - pattern: shop.example/adapters/web
    params:
      note: $(params.plain)
      url: "http://u:$(params.dbPassword)@db"
      flag: $(params.inline)
      settings: {token: ${given.nested}}
      own: ${given.composite}
      replicas: 3
`,
  "params.yaml": `plain: ${given.plain}\ndbPassword: ${given.password}\n`,
  "adapters/cue.mod/module.cue": `module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  "adapters/web/main.cue": `
package web

import "shop.example/adapters/inner"

DesignPattern: {
	parameters: {note: string, url: string, flag: string, settings: {token: string}, own: string, replicas: int}
	composites: [{pattern: inner.DesignPattern, params: {from: parameters.own, odd: parameters.note}}]
	resources: app: {
		secret: {provider: "kubernetes", apiVersion: "v1", kind: "Secret", metadata: {name: "s", annotations: copy: parameters.note}, stringData: {
			pin: parameters.note, nested: {(parameters.note): "x"}
		}}
		web: {provider: "kubernetes", apiVersion: "apps/v1", kind: "Deployment", metadata: name: "web", spec: {
			replicas: parameters.replicas
			values: [parameters.url, parameters.flag, parameters.settings.token]
		}}
		copy: {provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap", metadata: name: "copy", data: {url: web.spec.values[0], note: parameters.note}}
	}
}
`,
  "adapters/inner/main.cue": `
package inner

DesignPattern: {
	parameters: {from: string, odd: string}
	resources: app: inner: {provider: "kubernetes", apiVersion: "v1", kind: "secret", metadata: name: "inner", stringdata: {a: parameters.from, b: parameters.odd}}
}
`,
};

const repository = temporaryRepository(files, (work) => afterAll(work));

function run(...flags: readonly string[]) {
  const args = ["compile", "-p", "params.yaml", ...inlineFlags, ...flags];
  return runHere(repository.directory, args, compiler);
}

const secrets = Object.values(given);

const questions = [
  "app/secret",
  "app/secret:stringData.pin",
  "app/secret:metadata.annotations",
  "app/web:spec.values",
  "app/copy:data.url",
  "app/copy:data.note",
  "app/inner",
].map((question) => ({ question }));

attacks("written values", "--explain $question tells no value", questions, async ({ question }) => {
  const { code, stdout, stderr } = await run("--explain", question);
  expect(code).toBe(0);
  expect(stdout).toContain("(hidden)");
  expectNone(secrets, stdout + stderr);
});

test("--explain shows a value that isn't secret", async () => {
  const { stdout } = await run("--explain", "app/web:spec.replicas");
  expect(stdout).toContain("app/web: spec.replicas = 3\n");
});

const written = [{ file: "layout.yaml" }, { file: ".qvs-output" }];

attacks("written values", "$file contains no value", written, async ({ file }) => {
  const { code, stderr } = await run("-o", "out");
  expect(code).toBe(0);
  const text = readFileSync(join(repository.directory, "out", file), "utf8");
  expect(text).not.toBe("");
  expectNone(secrets, text + stderr);
});

const manifests = ["app/secret.yaml", "app/inner.yaml", "app/web.yaml"].map((file) => ({ file }));

attacks(
  "written values",
  "only the user can read $file if it contains a Secret",
  manifests,
  async (one) => {
    await run("-o", "private");
    const { mode } = statSync(join(repository.directory, "private", one.file));
    const isSecret = one.file !== "app/web.yaml";
    expect((mode & 0o077) === 0).toBe(isSecret);
  },
);

attacks(
  "written values",
  "--format json has values in the manifests only, not in $part",
  [{ part: "layout" }, { part: "trace" }, { part: "warnings" }, { part: "inputs" }],
  async ({ part }) => {
    const { stdout } = await run("--format", "json");
    const compiled = JSON.parse(stdout);
    expect(JSON.stringify(compiled.stages)).toContain(given.plain);
    expect(compiled[part]).toBeDefined();
    expectNone(secrets, JSON.stringify(compiled[part]));
  },
);

test("the layout contains params and their sources", async () => {
  await run("-o", "named");
  const text = readFileSync(join(repository.directory, "named/layout.yaml"), "utf8");
  expect(text).toContain("note: .valuestream/qvs.yaml:7:13 ← plain");
  expect(text).toContain("stringData.pin: adapters/web/main.cue");
});
