import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";
import { compileIn, ways } from "./compile-both-ways.ts";

/**
 * Compiles attacks in a pull request, from disk and from the commit. qvs must reject them and show
 * no content from outside the repository.
 */
const compiler = startCompiler();
afterAll(() => compiler.close());

const canary = "CANARY-b3f1";
const configFile = ".valuestream/qvs.yaml";
const listFile = ".valuestream/deployments.yaml";
const mainFile = "adapters/web/main.cue";
const args = ["--params", "params.yaml"];

/** Files outside the repository. Each one contains the canary at a place that qvs would show. */
const outside = {
  "qvs.yaml": `${shopFiles[configFile]}\n# ${canary}\n${canary}: 1\n`,
  "params.yaml": `version: ${canary}\nreplicas: 2\n`,
  "main.cue": `${shopFiles[mainFile]}\n"${canary}": 1\nDesignPattern: resources: app: deployment: metadata: labels: x: "${canary}"\n`,
  "deployments.yaml": `deployments: [{name: ${canary.toLowerCase()}, config: qvs.yaml, ${canary}: 1}]\n`,
  "adapters/cue.mod/module.cue": shopFiles["adapters/cue.mod/module.cue"],
  "adapters/web/main.cue": `${shopFiles[mainFile]}\nDesignPattern: resources: app: deployment: metadata: labels: x: "${canary}"\n`,
};

interface Attack {
  readonly name: string;
  /**
   * Links that replace the files at these paths. `OUTSIDE` is the absolute path of the directory
   * outside the repository.
   */
  readonly links?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** The expected message, from disk and from the commit. */
  readonly says: string;
}

const attacks: readonly Attack[] = [
  ...(["../../outside/", "OUTSIDE/"] as const).flatMap((up): readonly Attack[] => [
    {
      name: `the config is a link to ${up}`,
      links: { [configFile]: `${up}qvs.yaml` },
      says: "outside the repository",
    },
    {
      name: `the list is a link to ${up}`,
      links: { [listFile]: `${up}deployments.yaml` },
      says: "outside the repository",
    },
  ]),
  ...(["../outside/", "OUTSIDE/"] as const).flatMap((up): readonly Attack[] => [
    {
      name: `the params file is a link to ${up}`,
      links: { "params.yaml": `${up}params.yaml` },
      says: "outside the repository",
    },
    {
      name: `the adapters' folder is a link to ${up}`,
      links: { adapters: `${up}adapters` },
      says: "outside the repository",
    },
  ]),
  ...(["../../../outside/", "OUTSIDE/"] as const).map(
    (up): Attack => ({
      name: `a CUE file is a link to ${up}`,
      links: { [mainFile]: `${up}main.cue` },
      says: "leads outside the repository",
    }),
  ),
  {
    name: "an adapter's directory is a link to the outside",
    links: { "adapters/web": "../../outside/adapters/web" },
    says: "doesn't exist in the modules",
  },
  {
    name: "cue.mod is a link to the outside",
    links: { "adapters/cue.mod": "../../outside/adapters/cue.mod" },
    says: "cue.mod/module.cue",
  },
  {
    name: "the config is a link to a link to the outside",
    links: {
      [configFile]: "../one.yaml",
      "one.yaml": "two.yaml",
      "two.yaml": "../outside/qvs.yaml",
    },
    says: "outside the repository",
  },
  {
    name: "the config is a link to itself",
    links: { [configFile]: "qvs.yaml" },
    says: "can't be read\n  error: ELOOP",
  },
  {
    name: "the directory of the config is a link to the outside",
    links: { ".valuestream": "../outside" },
    files: {},
    says: "outside the repository",
  },
  {
    name: "a local module outside",
    files: { [configFile]: shopFiles[configFile].replace("../adapters", "../../outside/adapters") },
    says: 'Module path "../../outside/adapters" is outside this repository',
  },
  {
    name: "a local module at an absolute path",
    files: { [configFile]: shopFiles[configFile].replace("../adapters", "/etc") },
    says: 'Module path "/etc" is outside this repository',
  },
  {
    name: "a local module in git's own directory",
    files: { [configFile]: shopFiles[configFile].replace("../adapters", "../.git") },
    says: "git's own",
  },
  {
    name: "a module in another repository on the machine",
    files: {
      [configFile]: shopFiles[configFile].replace(
        "local: {path: ../adapters}",
        'remote: {repo: "file:///etc", revision: main}',
      ),
    },
    says: 'The module repository "file:///etc" isn\'t inside this repository',
  },
  {
    name: "a module whose address is a command",
    files: {
      [configFile]: shopFiles[configFile].replace(
        "local: {path: ../adapters}",
        'remote: {repo: "ext::sh -c touch% OUTSIDE/ran", revision: main}',
      ),
    },
    says: "isn't the address of a Git repository",
  },
  {
    name: "a module whose revision is a flag",
    files: {
      [configFile]: shopFiles[configFile].replace(
        "local: {path: ../adapters}",
        'remote: {repo: "https://127.0.0.1:9/a/b", revision: "--upload-pack=touch OUTSIDE/ran"}',
      ),
    },
    says: "The host can't be reached",
  },
  {
    name: "an adapter with .. in its import path",
    files: {
      [configFile]: shopFiles[configFile].replace("adapters/web", "adapters/../../outside"),
    },
    says: "isn't the import path of an adapter",
  },
  {
    name: "an import with ..",
    files: {
      [mainFile]: shopFiles[mainFile].replace(
        "package web\n",
        'package web\nimport "shop.example/adapters/../../outside"\n',
      ),
    },
    says: "outside",
  },
  {
    name: "the list names a config outside",
    files: { [listFile]: "deployments: [{name: a, config: ../../outside/qvs.yaml}]\n" },
    says: 'Path "../../outside/qvs.yaml" doesn\'t point to a file of this repository',
  },
  {
    name: "the list names params outside",
    files: { [listFile]: "deployments: [{name: a, config: qvs.yaml, params: [/etc/passwd]}]\n" },
    says: 'Path "/etc/passwd" doesn\'t point to a file of this repository',
  },
  ...["tool/exec", "tool/file", "tool/http", "tool/os", "tool/cli"].map(
    (tool): Attack => ({
      name: `an adapter that imports ${tool}`,
      files: {
        [mainFile]: `package web\nimport "${tool}"\nimport "strings"\nDesignPattern: resources: app: c: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c", data: x: strings.ToLower("A"), y: ${tool.slice(5)}}\n`,
      },
      says: mainFile,
    }),
  ),
  {
    name: "an adapter that embeds a file",
    files: {
      [mainFile]: `@extern(embed)\npackage web\nDesignPattern: resources: app: c: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c", data: x: string @embed(file=../../params.yaml, type=text)}\n`,
    },
    says: "adapters/web/main.cue",
  },
  {
    name: "an adapter that requests injected values",
    files: {
      [mainFile]: `package web\nDesignPattern: resources: app: c: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c", data: x: string @tag(home, var=username)}\n`,
    },
    says: "has no value",
  },
];

function repositoryFor({ links = {}, files = {} }: Attack) {
  const repository = temporaryRepository(shopFiles);
  const { directory } = repository;
  const beside = join(dirname(directory), "outside");
  for (const [path, text] of Object.entries(outside)) {
    mkdirSync(dirname(join(beside, path)), { recursive: true });
    writeFileSync(join(beside, path), text);
  }
  for (const [path, text] of Object.entries(files))
    repository.write(path, text.replaceAll("OUTSIDE", beside));
  for (const [path, target] of Object.entries(links)) {
    rmSync(join(directory, path), { recursive: true, force: true });
    symlinkSync(target.replace("OUTSIDE", beside), join(directory, path));
  }
  return { directory, beside };
}

describe.each(ways)("qvs reads the %s,", (way) => {
  test.each(attacks)("$name", async (attack) => {
    const { directory, beside } = repositoryFor(attack);
    const { code, stdout, stderr } = await compileIn(directory, way, compiler, args);
    expect(stderr).toContain(attack.says);
    expect(stdout + stderr).not.toMatch(new RegExp(canary, "i"));
    expect({ code, stdout, ran: existsSync(join(beside, "ran")) }).toEqual({
      code: 1,
      stdout: "",
      ran: false,
    });
  });
});

test("the same repository without an attack compiles", async () => {
  const { directory } = repositoryFor({ name: "", says: "" });
  for (const way of ways) {
    const { code, stderr } = await compileIn(directory, way, compiler, args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
});

test.each([
  ["the config", configFile, "isn't a regular file"],
  ["the params file", "params.yaml", "isn't a regular file"],
  ["a CUE file", mainFile, "no such file"],
])("reading %s that is a pipe doesn't block", async (_, path, says) => {
  const { directory } = temporaryRepository(shopFiles);
  rmSync(join(directory, path));
  execFileSync("mkfifo", [join(directory, path)]);
  const config = path === configFile ? ["--config", configFile] : [];
  const { code, stderr } = await runHere(directory, ["compile", ...config, ...args], compiler);
  expect(stderr).toContain(says);
  expect(code).toBe(1);
});

test.each([
  ["the config", configFile, 100_000_000, "is too large to read"],
  ["the params file", "params.yaml", 100_000_000, "is too large to read"],
  [
    "the config, a little",
    configFile,
    1_000_000,
    "The YAML has more than 512 Ki special characters",
  ],
  ["a CUE file", mainFile, 60_000_000, "exceeds the limit for CUE in one evaluation"],
  [
    "a CUE file beyond what Node reads",
    mainFile,
    5_000_000_000,
    "exceeds the limit for CUE in one evaluation",
  ],
])("%s with a huge size is rejected", async (_, path, size, says) => {
  const { directory } = temporaryRepository(shopFiles);
  truncateSync(join(directory, path), size);
  const { code, stderr } = await runHere(directory, ["compile", ...args], compiler);
  expect(stderr).toContain(says);
  expect(code).toBe(1);
});

test("CUE can't read the environment, the time or random values", async () => {
  const adapter = `package web
import "time"
import "uuid"
DesignPattern: {
	parameters: {...}
	resources: app: c: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c", data: x: "\\(time.Now())"}
}
_u: uuid.ns.DNS
`;
  const { directory } = temporaryRepository({ ...shopFiles, [mainFile]: adapter });
  const { code, stderr } = await runHere(directory, ["compile", ...args], compiler);
  expect(stderr).toContain("Now");
  expect(code).toBe(1);
});
