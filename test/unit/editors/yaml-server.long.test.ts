import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schemaAddress } from "../../../src/model/publication.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { type LanguageServer, startYamlServer } from "./language-server.ts";

/** Tests the schemas in the language server of editors. */
const root = join(import.meta.dirname, "../../..");
const compiler = startCompiler();
const { directory } = temporaryRepository(shopFiles(), afterAll);
let server: LanguageServer;

beforeAll(async () => {
  for (const file of ["config", "params"]) {
    const written = await qvs("schema", file, "--output", `.valuestream/schema/${file}.json`);
    expect(written).toMatchObject({ code: 0, stderr: "" });
  }
  server = await startYamlServer(directory);
});
afterAll(async () => {
  await server.stop();
  await compiler.close();
});

function qvs(...args: readonly string[]) {
  return runHere(directory, args, compiler);
}

function shopFiles(): Readonly<Record<string, string>> {
  const cwd = join(root, "examples/shop");
  const files = globSync("**/*.{cue,yaml}", { cwd }).concat(
    globSync("**/.valuestream/**/*.yaml", { cwd }),
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(cwd, file), "utf8")]));
}

let count = 0;

/** Opens a text with a published schema, or with one that `qvs schema` wrote; `|` is the cursor. */
async function open(schema: string, text: string) {
  const name = schema.endsWith(".schema.json")
    ? pathToFileURL(join(root, "schema", schema)).href
    : `.valuestream/schema/${schema}`;
  const whole = `# yaml-language-server: $schema=${name}\n${text}`;
  const before = whole.split("|")[0] ?? "";
  const hasCursor = before !== whole;
  const lines = before.split("\n");
  const place = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const path = `file-${++count}.yaml`;
  const found = await server.open(
    path,
    hasCursor ? before + whole.slice(before.length + 1) : whole,
  );
  return {
    problems: found
      .map(({ message, range }) => `${range.start.line}: ${message}`)
      .sort()
      .join("\n"),
    completions: async () => [...new Set(await server.completions(path, place))],
    hover: async () => (await server.hover(path, place)).split("\n\nSource:")[0],
  };
}

const examples = globSync("examples/**/*.yaml", { cwd: root })
  .concat(globSync("examples/**/.valuestream/**/*.yaml", { cwd: root }))
  .toSorted();

test("the repository has examples", () => expect(examples.length).toBeGreaterThan(15));

test.concurrent.each(examples)("%s names its schema in its first line and has no error", (path) =>
  checkFirstLine(path, readFileSync(join(root, path), "utf8")),
);

test("the files that `qvs init` writes have no error", async ({ onTestFinished }) => {
  const { directory: empty } = temporaryRepository({}, onTestFinished);
  mkdirSync(empty, { recursive: true });
  const { code } = await runHere(empty, ["init", "--yes", "--no-workflows"], compiler);
  expect(code).toBe(0);
  const files = globSync(".valuestream/**/*.yaml", { cwd: empty });
  expect(files.length).toBe(4);
  for (const file of files) {
    const text = readFileSync(join(empty, file), "utf8");
    // The files contain an address after a release has published the schemas.
    expect(text.startsWith("# yaml-language-server")).toBe(schemaAddress() !== undefined);
    const { problems } = await open(`${kindOf(file)}.schema.json`, text);
    expect(problems).toBe("");
  }
});

function kindOf(path: string): string {
  const name = basename(path);
  return name === "qvs.yaml" || name === "deployments.yaml" ? name.slice(0, -5) : "params";
}

async function checkFirstLine(path: string, text: string): Promise<void> {
  const [, url = "", rest = ""] =
    /^# yaml-language-server: \$schema=(\S+)\n([\s\S]*)/.exec(text) ?? [];
  const schema = join("schema", `${kindOf(path)}.schema.json`);
  expect(relative(root, join(root, dirname(path), url))).toBe(schema);
  const { problems } = await open(basename(url), rest);
  expect(problems).toBe("");
}

const config = readFileSync(join(root, "examples/shop/services/shop/.valuestream/qvs.yaml"), "utf8")
  .split("\n")
  .slice(1)
  .join("\n");

describe.concurrent("the editor underlines an error at its place", () => {
  test.each([
    [
      "a key that does not exist",
      "qvs.schema.json",
      "designPatterns: []\nmodule: []\n",
      "2: Property module is not allowed.",
    ],
    [
      "of a deployment",
      "deployments.schema.json",
      "deployments:\n  - name: a\n    config: qvs.yaml\n    dependOn: [b]\n",
      "4: Property dependOn is not allowed.",
    ],
    [
      "a plain secret",
      "params.schema.json",
      "secrets:\n  - name: a\n    value: s3cret\n",
      '2: Missing property "key".\n3: Property value is not allowed.',
    ],
    ["nothing in a correct config", "config.json", config, ""],
    [
      "a param that the adapter does not declare",
      "config.json",
      config.replace("      replicas:", "      repllicas:"),
      "23: Property repllicas is not allowed.",
    ],
    [
      "a value of the wrong type where a reference is valid",
      "config.json",
      config.replace("replicas: $(params.replicas)", "replicas: many"),
      '23: Incorrect type. Expected "integer".',
    ],
    [
      "a param of an adapter whose package is named too",
      "config.json",
      config
        .replace("adapters/web", "adapters/web:web")
        .replace("      replicas:", "      repllicas:"),
      "23: Property repllicas is not allowed.",
    ],
    [
      "an adapter that isn't in the modules",
      "config.json",
      config.replace("adapters/web", "adapters/wep"),
      "18: No module contains this adapter",
    ],
    [
      "params of the wrong type, and one that no config declares",
      "params.json",
      "replicas: many\nnamspace: shop\n",
      "1: This isn't an integer\n2: Property namspace is not allowed.",
    ],
    [
      "wrong params in lists",
      "params.json",
      "params:\n  - name: replicas\n    value: many\n",
      "3: This isn't an integer",
    ],
  ])("%s", async (_, schema, text, expected) => {
    expect((await open(schema, text)).problems).toBe(expected);
  });
});

test("the documented settings of VS Code find the schemas by file names", async () => {
  const page = readFileSync(join(root, "docs/integrate/editors.md"), "utf8");
  const [, json = ""] = /```json[^\n]*\n([\s\S]*?)```/.exec(page) ?? [];
  const local = json.replace("../qvs-action/schema/", pathToFileURL(join(root, "schema/")).href);
  expect(local).not.toBe(json);
  const { "yaml.schemas": schemas } = JSON.parse(local);
  const { directory: folder } = temporaryRepository(shopFiles(), afterAll);
  for (const kind of ["config", "params"]) {
    const file = `.valuestream/schema/${kind === "config" ? "qvs" : kind}.json`;
    await runHere(folder, ["schema", kind, "-o", file], compiler);
  }
  const settled = await startYamlServer(folder, schemas);
  const files = [
    ["services/shop/.valuestream/qvs.yaml", `${config}      nope: 1\n`],
    [".valuestream/params/staging.yaml", "nope: 1\n"],
    [".valuestream/deployments.yaml", "deployments: []\nnope: 1\n"],
  ] as const;
  for (const [path, text] of files) {
    const [problem] = await settled.open(path, text);
    expect([path, problem?.message]).toEqual([path, "Property nope is not allowed."]);
  }
  await settled.stop();
});

describe.concurrent("the editor completes keys and values", () => {
  test.each([
    ["keys of a config", "qvs.schema.json", "designPatterns: []\n|", ["params", "modules"]],
    [
      "keys of a deployment",
      "deployments.schema.json",
      "deployments:\n  - name: a\n    config: qvs.yaml\n    |",
      ["params", "environment", "context", "namespace", "dependsOn"],
    ],
    [
      "types of params",
      "qvs.schema.json",
      "params:\n  - name: a\n    type: |",
      ["string", "int", "bool", "array", "object", "secret"],
    ],
    [
      "adapters of the modules",
      "config.json",
      "designPatterns:\n  - pattern: |",
      ["shop.example/adapters/cache", "shop.example/adapters/web"],
    ],
    [
      "missing params of the adapter",
      "config.json",
      "designPatterns:\n  - pattern: shop.example/adapters/cache\n    params:\n      appName: shop\n      |",
      ["namespace", "image"],
    ],
    [
      "params of the repository",
      "params.json",
      "replicas: 1\n|",
      ["version", "namespace", "greeting", "databasePassword"],
    ],
  ])("%s", async (_, schema, text, expected) => {
    const offered = await (await open(schema, text)).completions();
    expect(offered).toEqual(expect.arrayContaining([...expected]));
  });
});

describe.concurrent("the editor shows documentation", () => {
  test.each([
    [
      "a key of a config",
      "qvs.schema.json",
      "mod|ules: []\ndesignPatterns: []\n",
      "Modules that contain the adapters.",
    ],
    [
      "a param of an adapter, with its comment in the adapter",
      "config.json",
      config.replace("settings:", "set|tings:"),
      "Written to the file settings.yaml that the application reads at its start.\n\n[string]: string, default {}",
    ],
    [
      "its type and default",
      "config.json",
      config.replace("      replicas:", "      repl|icas:"),
      "int, default 2",
    ],
    [
      "the declaration of a param",
      "params.json",
      "repl|icas: 1\n",
      "int, declared in services/shop/.valuestream/qvs.yaml",
    ],
  ])("%s", async (_, schema, text, expected) => {
    expect(await (await open(schema, text)).hover()).toContain(expected);
  });
});

describe("qvs schema", () => {
  test("writes the published schema of deployments.yaml", async () => {
    const { code, stdout } = await qvs("schema", "deployments", "-o", "schemas/deployments.json");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Wrote schemas/deployments.json\n" });
    const written = readFileSync(join(directory, "schemas/deployments.json"), "utf8");
    expect(written).toBe(readFileSync(join(root, "schema/deployments.schema.json"), "utf8"));
  });

  test("prints the params schema to stdout", async () => {
    const { stdout } = await qvs("schema", "params", "-c", "services/shop/.valuestream/qvs.yaml");
    const file = join(directory, ".valuestream/schema/params.json");
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });

  test.each([
    [
      "a name without a schema",
      ["schema", "config", "-o", "services/shop/.valuestream/qvs.yaml"],
      "Choose a file that ends in .json with --output",
    ],
    [
      "a config that doesn't exist",
      ["schema", "params", "-c", "other.yaml"],
      'Config "other.yaml" doesn\'t exist',
    ],
    [
      "a file that it has no schema for",
      ["schema", "lock"],
      "Allowed choices are config, deployments, params.",
    ],
  ])("rejects %s", async (_, args, expected) => {
    const { code, stderr } = await qvs(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(expected);
  });

  test("doesn't write through links", async () => {
    const link = join(directory, "link.json");
    symlinkSync(join(directory, "services/shop/.valuestream/qvs.yaml"), link);
    const { code, stderr } = await qvs("schema", "params", "-o", "link.json");
    expect([code, stderr]).toEqual([1, expect.stringContaining("is a symbolic link")]);
  });

  test("leaves the params open if an adapter can't be described", async () => {
    const folder = join(directory, "adapters/broken");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "main.cue"),
      "package broken\nDesignPattern: parameters: a: missing\n",
    );
    const { code, stdout, stderr } = await qvs("schema", "config");
    expect(code).toBe(0);
    expect(stderr).toContain("doesn't describe the params of shop.example/adapters/broken");
    const { properties } = JSON.parse(stdout);
    const { items } = properties.designPatterns;
    expect(items.properties.pattern.anyOf[0].enum).toContain("shop.example/adapters/broken");
    expect(JSON.stringify(items.allOf)).not.toContain("broken");
  });
});
