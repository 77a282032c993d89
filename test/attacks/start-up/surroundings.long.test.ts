import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findForeignLoads } from "../../../scripts/find-loads.ts";
import type { GitFixture } from "../../support/git/git-fixture.ts";
import { startQvs } from "../../support/qvs/run-qvs.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";
import { attacks, countInputs } from "../attack.ts";
import { requiredNames } from "./required-names.ts";
import { type ActionResult, checkOutAction, startAction } from "./start-action.ts";

const root = join(import.meta.dirname, "../../..");

/**
 * Checks the start of the Action next to hostile files. The workflows check it out below the
 * workspace, so a pull request controls the surrounding files. Each case adds some and expects an
 * unchanged preview.
 */
type Files = Readonly<Record<string, string>>;

interface Surroundings {
  readonly name: string;
  readonly files: (evil: Evil) => Files;
  /** The links by path, with their targets. */
  readonly links?: Files;
}

/** Code that leaves a trace whenever it runs. */
interface Evil {
  readonly commonJs: string;
  readonly module: string;
  ran(): boolean;
}

/** The files of the command. */
const commandFiles = readdirSync(join(root, "dist")).filter((name) =>
  /^(?:command|qvs(?:-[\w-]+)?)\.js$/.test(name),
);

const all: readonly Surroundings[] = [
  { name: "nothing", files: () => ({}) },
  { name: "a package.json of CommonJS", files: () => ({ "package.json": '{"type": "commonjs"}' }) },
  { name: "a malformed package.json", files: () => ({ "package.json": '{"type": "mod' }) },
  { name: "a package.json that isn't an object", files: () => ({ "package.json": "[null]" }) },
  { name: "a package.json of null bytes", files: () => ({ "package.json": "\0".repeat(4096) }) },
  { name: "a package.json that is empty", files: () => ({ "package.json": "" }) },
  { name: "a package.json that is a directory", files: () => ({ "package.json/index.js": "" }) },
  {
    name: "a package.json that points to another file",
    files: () => ({}),
    links: { "package.json": "/proc/self/environ" },
  },
  {
    name: "a package.json that maps names to its own files",
    files: ({ commonJs }) => ({
      "package.json": JSON.stringify({
        name: "node:fs",
        type: "commonjs",
        main: "./evil.js",
        exports: { ".": "./evil.js", "./*": "./evil.js" },
        imports: { "#*": "./evil.js", "#node:fs": "./evil.js" },
      }),
      "evil.js": commonJs,
    }),
  },
  {
    name: "files named as the Action's own",
    files: ({ module, commonJs }) =>
      Object.fromEntries([
        ...[
          "index.js",
          "action.js",
          "compile.js",
          "cli.js",
          "compile-worker.ts",
          ...commandFiles,
        ].map((file) => [file, module] as const),
        ...["index.js", "action.js", "compile.js"].map((file) => [`dist/${file}`, module] as const),
        ["cue.wasm.zst", "no wasm"] as const,
        ["dist/cue.wasm.zst", "no wasm"] as const,
        ["node_modules/action.js", commonJs] as const,
      ]),
  },
  {
    name: "settings of every tool that runs JavaScript",
    files: ({ commonJs, module }) => ({
      ".npmrc": "node-options=--require ./evil.cjs\nscript-shell=./evil.sh\n",
      ".env": "NODE_OPTIONS=--require ./evil.cjs\nNODE_PATH=./node_modules\n",
      ".node-version": "4.0.0\n",
      ".nvmrc": "v4\n",
      ".noderc": "--require ./evil.cjs\n",
      "node.config.json": JSON.stringify({ nodeOptions: { import: ["./evil.mjs"] } }),
      "tsconfig.json": '{"compilerOptions": {"paths": {"*": ["./evil.cjs"]}}',
      "jsconfig.json": "{",
      ".pnp.cjs": commonJs,
      ".pnp.loader.mjs": module,
      ".yarnrc.yml": "yarnPath: ./evil.cjs\n",
      "evil.cjs": commonJs,
      "evil.mjs": module,
      "evil.sh": "#!/bin/sh\nexit 1\n",
    }),
  },
  {
    name: "settings of git",
    files: () => ({
      ".gitattributes": "* filter=evil diff=evil text eol=crlf\n",
      ".gitmodules": '[submodule "x"]\n\tpath = .qvs-action\n\turl = file:///\n',
      ".gitconfig": "[core]\n\tfsmonitor = ./evil.sh\n",
    }),
  },
];

attacks("start-up", "around the Action: $name", all, async (surroundings) => {
  const { git, base } = shop();
  const evil = makeEvil();
  put(git, surroundings.files(evil), surroundings.links ?? {});
  const result = await preview(git, base);
  expect(evil.ran()).toBe(false);
  expectPreview(result);
});

test("the Action ignores packages in its parent directories with the names of all dependencies", async (context) => {
  const names = requiredNames();
  // Without names, the test would try nothing.
  for (const name of ["supports-color", "bufferutil", "utf-8-validate", "node:fs", "fs", "debug"])
    expect(names).toContain(name);
  const { git, base } = shop();
  const evil = makeEvil();
  // Node.js searches each parent directory if it finds no nearer package, with or without a
  // repository.
  for (const folder of ["node_modules", "node_modules/node_modules"])
    for (const name of names) plant(join(git.directory, folder, name), evil);
  git.commit();
  const login = await startLogin();
  const inputs = { kubeconfig: login.kubeconfig };
  expect((await preview(git, base, inputs)).log).toContain("can't be refreshed");
  expect(evil.ran()).toBe(false);
  expectPreview(await preview(git, base));
  expect(evil.ran()).toBe(false);
  countInputs(context, "start-up", 1);
});

const commands = [
  { name: "a package.json of CommonJS", text: '{"type": "commonjs"}' },
  { name: "a malformed package.json", text: "{" },
];
attacks("start-up", "around the command: $name", commands, async ({ text }) => {
  const { git } = shop();
  git.write("package.json", text);
  const program = join(checkOutAction(git.directory), "dist/cli.js");
  const { result } = startQvs(git.directory, ["compile", "--params", "params.yaml"], {}, program);
  const { code, stderr } = await result;
  expect(stderr).toBe("");
  expect(code).toBe(0);
});

test("dist loads no other package and declares its module type", () => {
  const files = new Set(readdirSync(join(root, "dist")));
  const scripts = [...files].filter((name) => !/\.(?:txt|zst|json|yml)$/.test(name));
  expect(scripts.toSorted()).toEqual(
    ["action.js", "cli.js", "compile.js", "index.js", "setup.js", ...commandFiles].toSorted(),
  );
  expect(commandFiles).toEqual(expect.arrayContaining(["command.js", "qvs.js", "qvs-deploy.js"]));
  for (const name of scripts) {
    const startsWorkers = name === "index.js" || name === "command.js";
    const code = readFileSync(join(root, "dist", name), "utf8");
    expect(findForeignLoads(code, { files, startsWorkers }), name).toEqual([]);
  }
  const own = JSON.parse(readFileSync(join(root, "dist/package.json"), "utf8"));
  expect(own).toEqual({ private: true, type: "module" });
});

function shop(): { git: GitFixture; base: string } {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  return { git, base };
}

function put(git: GitFixture, files: Files, links: Files): void {
  for (const [path, content] of Object.entries(files)) git.write(path, content);
  for (const [path, target] of Object.entries(links)) git.link(path, target);
  git.commit();
}

async function preview(git: GitFixture, base: string, inputs: Files = {}): Promise<ActionResult> {
  const repo = { full_name: "acme/shop" };
  const head = { sha: git.git("rev-parse", "HEAD"), repo };
  return startAction({
    workspace: git.directory,
    action: checkOutAction(git.directory),
    eventName: "pull_request",
    event: { pull_request: { number: 7, base: { sha: base, repo }, head } },
    inputs,
  });
}

function expectPreview({ code, log, summary }: ActionResult): void {
  expect(code, log).toBe(0);
  expect(summary).toContain("`shop`");
  expect(summary).toContain("2.0.0");
}

function makeEvil(): Evil {
  const folder = mkdtempSync(join(tmpdir(), "evil-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const trace = JSON.stringify(join(folder, "ran"));
  return {
    commonJs: `process.getBuiltinModule("fs").appendFileSync(${trace}, __filename + "\\n");\n`,
    module: `process.getBuiltinModule("fs").appendFileSync(${trace}, import.meta.url + "\\n");\n`,
    ran: () => existsSync(join(folder, "ran")),
  };
}

/** Writes packages for `require`, for `import`, and for a path below a package. */
function plant(folder: string, { commonJs, module }: Evil): void {
  mkdirSync(folder, { recursive: true });
  const entries = { import: "./index.mjs", default: "./index.cjs" };
  const exports = { ".": entries, "./*": entries };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ main: "./index.cjs", exports }));
  writeFileSync(join(folder, "index.cjs"), commonJs);
  writeFileSync(join(folder, "index.mjs"), module);
}

/**
 * Starts a cluster with a login by OpenID Connect, which uses the most third-party code. It accepts
 * no identity.
 */
async function startLogin(): Promise<{ readonly kubeconfig: string }> {
  const server = createServer((_, response) => response.writeHead(401).end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    "idp-issuer-url": address,
    "client-id": "shop",
    "refresh-token": "not-a-secret",
    "id-token": ["{}", '{"exp":1}', ""].map((part) => btoa(part)).join("."),
  };
  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    clusters: [{ name: "it", cluster: { server: address } }],
    users: [{ name: "it", user: { "auth-provider": { name: "oidc", config } } }],
  });
  return { kubeconfig };
}
