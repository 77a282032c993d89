import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Binaries, buildTools } from "../../support/cluster/build.ts";
import {
  isAvailable,
  modulePath,
  official,
  possiblePatterns,
} from "../../support/corpus/official.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { startCueServer } from "./language-server.ts";

/**
 * Tests the package of cue/types with the real `cue`, vendored as the documentation describes it.
 */
const root = join(import.meta.dirname, "../../..");
const types = "github.com/qvs-action/qvs-action/cue/types";
let tools: Binaries;
const folders: string[] = [];

beforeAll(async () => {
  tools = await buildTools("cue");
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function moduleFrom(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "qvs-types-"));
  folders.push(folder);
  cpSync(source, folder, { recursive: true, mode: 0 });
  const vendored = join(folder, "cue.mod/pkg", types);
  mkdirSync(dirname(vendored), { recursive: true });
  cpSync(join(root, "cue/types"), vendored, { recursive: true });
  return folder;
}

/** Returns the output of `cue vet`; "" without errors. */
function vet(folder: string, program: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, CUE_REGISTRY: "none" };
  return new Promise((resolve) => {
    execFile(program, ["vet", "-c=false", ...args], { cwd: folder, env }, (error, _, stderr) =>
      resolve(error === null ? "" : stderr),
    );
  });
}

/** Writes a package that unifies every adapter with #DesignPattern. */
function writeCheck(folder: string, patterns: readonly string[]): void {
  const imports = patterns.map((pattern, index) => `import p${index} "${pattern}"\n`);
  const fields = patterns.map(
    (p, index) => `"${p}": types.#DesignPattern & p${index}.DesignPattern\n`,
  );
  mkdirSync(join(folder, "check"));
  const text = ["package check\n", `import "${types}"\n`, ...imports, ...fields].join("\n");
  writeFileSync(join(folder, "check/check.cue"), text);
}

test("the module is well formed", async () => {
  expect(await vet(join(root, "cue"), tools.path("cue"), "./...")).toBe("");
});

const examples = globSync("examples/*/adapters", { cwd: root }).toSorted();

test("the documentation has examples", () => expect(examples.length).toBeGreaterThan(4));

test.each(examples)("the adapters of %s match the type", async (path) => {
  const folder = await moduleFrom(join(root, path));
  const [, module] =
    /module: "(.*)"/.exec(readFileSync(join(folder, "cue.mod/module.cue"), "utf8")) ?? [];
  const files = globSync("*/*.cue", { cwd: folder, exclude: ["cue.mod"] }).filter((file) =>
    readFileSync(join(folder, file), "utf8").includes("DesignPattern"),
  );
  expect(files.length).toBeGreaterThan(0);
  writeCheck(
    folder,
    files.map((file) => `${module}/${dirname(file)}`),
  );
  expect(await vet(folder, tools.path("cue"), "./check")).toBe("");
});

describe.skipIf(!isAvailable)("real adapters match the type:", () => {
  /** Adapters that use `+` between lists, which newer versions of CUE no longer support. */
  const withListArithmetic = ["azureWebAppForContainers", "webApp/apiBackend"];

  test("all adapters of the official module", async () => {
    const folder = await moduleFrom(official);
    const file = join(folder, "cue.mod/module.cue");
    rmSync(file, { force: true });
    writeFileSync(file, `module: "${modulePath}"\nlanguage: version: "v0.9.0"\n`);
    const patterns = possiblePatterns();
    expect(patterns.length).toBeGreaterThan(50);
    writeCheck(folder, patterns);
    const old = await buildTools("cue-v0.10");
    expect(await vet(folder, old.path("cue"), "./check")).toBe("");
    rmSync(join(folder, "check"), { recursive: true });
    writeCheck(
      folder,
      patterns.filter((pattern) => !withListArithmetic.some((name) => pattern.includes(name))),
    );
    expect(await vet(folder, tools.path("cue"), "./check")).toBe("");
  });
});

const adapter = `package app

import "${types}"

DesignPattern: types.#DesignPattern & {
	name: "shop:app"
	parameters: {appName: string, apiKey: types.#Secret}
	composites: [{pattern: {name: "inline", parameters: {}}, params: {}, group: "g"}]
	resources: app: settings: types.#Object & {
		apiVersion: "v1"
		kind:       "ConfigMap"
		metadata: {
			name: parameters.appName
			annotations: "vs.axis-dev.io/dependsOn": "core:ConfigMap::shop/\\(parameters.appName)-base"
		}
		data: key: parameters.apiKey.key
	}
	defer: app: [string]: metadata: labels: team: "shop"
}
`;

async function vetAdapter(from: string, to: string): Promise<string> {
  if (!adapter.includes(from)) throw new Error(`The adapter does not contain "${from}"`);
  const folder = await moduleFrom(join(root, "examples/shop/adapters"));
  mkdirSync(join(folder, "app"));
  writeFileSync(join(folder, "app/app.cue"), adapter.replace(from, to));
  return vet(folder, tools.path("cue"), "./app");
}

test("vet accepts a correct adapter", async () => expect(await vetAdapter("", "")).toBe(""));

const app = "DesignPattern.resources.app.settings";
const annotated =
  'annotations: "vs.axis-dev.io/dependsOn": "core:ConfigMap::shop/\\(parameters.appName)-base"';

test.each([
  ["parameters: {", "paramters: {", 'reference "parameters" not found'],
  [
    "resources: app:",
    "resource: app:",
    "DesignPattern.resource: field not allowed:\n    ./app/app.cue:9:2",
  ],
  [
    "resources: app:",
    "resources: apps:",
    "DesignPattern.resources.apps: field not allowed:\n    ./app/app.cue:9:13",
  ],
  ["defer: app:", "defered: app:", "DesignPattern.defered: field not allowed"],
  ["params: {},", "parameters: {},", "DesignPattern.composites.0.parameters: field not allowed"],
  ['group: "g"', "group: 1", "DesignPattern.composites.0.group: conflicting values 1 and string"],
  ["pattern: {name", "patterns: {name", "DesignPattern.composites.0.patterns: field not allowed"],
  [
    "types.#Secret",
    'types.#Secret & {name: "x"}',
    "DesignPattern.parameters.apiKey.name: field not allowed",
  ],
  ['kind:       "ConfigMap"', "kind:       1", `${app}.kind: conflicting values 1 and string`],
  [
    'apiVersion: "v1"',
    'apiVersion: "v1", provider: "pulumi-yaml"',
    `${app}.provider: conflicting values "kubernetes" and "pulumi-yaml"`,
  ],
  [
    "dev.io/dependsOn",
    "dev.io/dependOn",
    `${app}.metadata.annotations._noSuchAnnotation."vs.axis-dev.io/dependOn": field not allowed`,
  ],
  [
    annotated,
    'annotations: "vs.axis-dev.io/keepOnDelet": "a"',
    `${app}.metadata.annotations."vs.axis-dev.io/keepOnDelet": field not allowed:\n    ./app/app.cue:14:17`,
  ],
  [
    annotated,
    'annotations: "vs.axis-dev.io/revision": "1"',
    'annotations."vs.axis-dev.io/revision": field not allowed',
  ],
  [
    annotated,
    'annotations: "vs.axis-dev.io/dependsOn": "ConfigMap/settings"',
    'annotations."vs.axis-dev.io/dependsOn": invalid value "ConfigMap/settings"',
  ],
  [
    annotated,
    'annotations: "vs.axis-dev.io/replace": "yes"',
    'annotations."vs.axis-dev.io/replace": conflicting values "true" and "yes"',
  ],
  [annotated, "annotations: replicas: 3", "annotations.replicas: conflicting values"],
])("vet rejects `%s` replaced by `%s`", async (from, to, expected) => {
  expect(await vetAdapter(from, to)).toContain(expected);
});

describe("CUE's language server", () => {
  test("completes annotations and fields and shows their documentation", async () => {
    const folder = await moduleFrom(join(root, "examples/shop/adapters"));
    mkdirSync(join(folder, "app"));
    const server = await startCueServer(folder, tools.path("cue"));
    const text = adapter.replace(`${annotated}\n`, `annotations: {\n\n}\n`);
    expect(text).not.toBe(adapter);
    void server.open("app/app.cue", text);
    const lines = text.split("\n");
    const inside = {
      line: lines.findIndex((line) => line.includes("annotations: {")) + 1,
      character: 0,
    };
    const defer = { line: lines.findIndex((line) => line.includes("defer:")), character: 2 };
    // The server answers before it has read the package.
    await expect
      .poll(() => server.completions("app/app.cue", inside))
      .toContain('"vs.axis-dev.io/dependsOn"');
    expect(await server.hover("app/app.cue", defer)).toContain("evaluated last");
    await server.stop();
  });
});

describe("qvs", () => {
  const compiler = startCompiler();
  afterAll(() => compiler.close());

  function repository(
    onFinished: (work: () => void) => void,
    modules: string,
    files: Readonly<Record<string, string>>,
  ) {
    return temporaryRepository(
      {
        "adapters/cue.mod/module.cue":
          'module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n',
        "adapters/app/app.cue": adapter,
        ".valuestream/qvs.yaml": `modules:
  - {name: shop.example/adapters, local: {path: ../adapters}}
${modules}designPatterns:
  - pattern: shop.example/adapters/app
    params: {appName: shop, apiKey: {key: k}}
`,
        ...files,
      },
      onFinished,
    );
  }

  const own = Object.fromEntries(
    globSync("**/*.cue", { cwd: join(root, "cue") }).map((file) => [
      file,
      readFileSync(join(root, "cue", file), "utf8"),
    ]),
  );
  const under = (folder: string) =>
    Object.fromEntries(Object.entries(own).map(([file, text]) => [`${folder}/${file}`, text]));

  test.each([
    [
      "as a module",
      "  - {name: github.com/qvs-action/qvs-action/cue, local: {path: ../qvs/cue}}\n",
      under("qvs/cue"),
    ],
    [
      "vendored",
      "",
      Object.fromEntries(
        Object.entries(under(`adapters/cue.mod/pkg/${dirname(types)}`)).filter(
          ([file]) => !file.includes("/cue.mod/module"),
        ),
      ),
    ],
  ])(
    "compiles an adapter that imports it, %s, to the same result as without it",
    async (_, modules, files) => {
      const { directory } = repository(afterAll, modules, files);
      const compiled = await runHere(directory, ["compile", "-q"], compiler);
      expect(compiled.stderr).toBe("");
      const plain = adapter
        .replace(/import .*\n/, "")
        .replace("types.#DesignPattern & ", "")
        .replace("types.#Object & ", "")
        .replace("types.#Secret", "{key: string, version?: string}");
      expect(plain).not.toContain("types");
      const without = repository(afterAll, "", { "adapters/app/app.cue": plain });
      const expected = await runHere(without.directory, ["compile", "-q"], compiler);
      expect(expected.stdout).toContain("kind: ConfigMap");
      expect(compiled.stdout).toBe(expected.stdout);
    },
  );
});
