import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { pruneCache } from "../../../../../src/io/git/modules/cache.ts";
import { openModuleStore } from "../../../../../src/io/git/modules/store.ts";
import { describeProblem } from "../../../../support/describe-problem.ts";
import {
  environment,
  GitFixture,
  temporaryDirectory,
} from "../../../../support/git/git-fixture.ts";

const moduleFile = { "cue.mod/module.cue": 'module: "m.example/m"\n' };

function moduleWith(files: Readonly<Record<string, string>> = {}) {
  const module = new GitFixture();
  const commit = module.commit({ ...moduleFile, ...files });
  module.git("tag", "v1");
  return { module, commit };
}

/** Returns the commit, or the problem. */
async function fetchFrom(
  { directory }: GitFixture,
  cache: string,
  maxFetchBytes?: number,
): Promise<string> {
  const options = { cache, base: directory, anywhere: true, environment };
  const store = openModuleStore({ ...options, ...(maxFetchBytes && { maxFetchBytes }) });
  const result = await store.fetch({
    repo: directory,
    revision: "v1",
    path: "",
    locked: undefined,
  });
  return result.ok ? result.value.commit : result.problems.map(describeProblem).join("\n");
}

/** Returns the cached copies of all repositories. */
function copies(cache: string): readonly string[] {
  const modules = join(cache, "modules");
  return readdirSync(modules).flatMap((name) =>
    readdirSync(join(modules, name)).map((commit) => join(modules, name, commit)),
  );
}

/** Fetches in a separate process, which is killed after some milliseconds unless it has ended. */
async function fetchInProcess(args: readonly string[], killAfter?: number): Promise<string> {
  const script = join(import.meta.dirname, "../../../../support/git/fetch-once.ts");
  const child = spawn(process.execPath, [script, ...args], { env: environment });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  if (killAfter !== undefined) {
    await sleep(killAfter);
    child.kill("SIGKILL");
  }
  await ended;
  return output.trim();
}

test("parallel processes share a cache, even if some are killed", async () => {
  const files = Object.fromEntries(
    [...Array(200).keys()].map((n) => [
      `p${n}/a.cue`,
      `a: "${randomBytes(2000).toString("hex")}"\n`,
    ]),
  );
  const { module, commit } = moduleWith(files);
  const cache = temporaryDirectory();
  const args = [cache, module.directory, "v1"];
  const killed = [60, 150, 250, 350].map((delay) => fetchInProcess(args, delay));
  const whole = [1, 2, 3].map(() => fetchInProcess(args));
  const outputs = await Promise.all(whole);
  await Promise.all(killed);
  expect(new Set(outputs).size, outputs.join("\n")).toBe(1);
  expect(outputs[0]).toMatch(new RegExp(`^${commit} sha256:[0-9a-f]{64}$`));
  expect(await fetchInProcess(args)).toBe(outputs[0]);
  expect(copies(cache)).toHaveLength(1);
});

test("a damaged copy is reported, removed and fetched again by the next run", async () => {
  const { module, commit } = moduleWith({ "a.cue": "a: 1\n" });
  const cache = temporaryDirectory();
  expect(await fetchFrom(module, cache)).toBe(commit);
  const packs = join(copies(cache)[0] ?? "", "objects/pack");
  for (const name of readdirSync(packs)) {
    chmodSync(join(packs, name), 0o644);
    truncateSync(join(packs, name), 20);
  }
  expect(await fetchFrom(module, cache)).toBe(
    `The cached copy of ${module.directory} at v1 was damaged
  why: qvs deleted the copy
  → Run again
    or check the disk, if the error occurs again`,
  );
  expect(copies(cache)).toEqual([]);
  expect(await fetchFrom(module, cache)).toBe(commit);
});

test("a repository above the size limit is rejected and leaves no files", async () => {
  const { module, commit } = moduleWith();
  writeFileSync(join(module.directory, "large.bin"), randomBytes(3 * 1024 * 1024));
  module.commit();
  module.git("tag", "--force", "v1");
  const cache = temporaryDirectory();
  expect(await fetchFrom(module, cache, 1024 * 1024)).toBe(
    `"${module.directory}" is larger than 1 MiB
  why: qvs fetches no more than this from one repository
  → Keep the adapters or bases in a repository of their own`,
  );
  expect(readdirSync(cache, { recursive: true })).toEqual(["drafts"]);
  expect(await fetchFrom(module, cache, 8 * 1024 * 1024)).not.toBe(commit);
});

test("the user can fix an unwritable cache", async () => {
  const { module } = moduleWith();
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect(await fetchFrom(module, file)).toBe(
    `The module cache ${file} can't be written
  error: ENOTDIR
  → Set QVS_CACHE to a writable directory with enough free space`,
  );
});

const hour = 3_600_000;

test("qvs removes old entries, then the oldest above the size limit, but none of the last hour", async () => {
  const cache = temporaryDirectory();
  const put = (folder: string, name: string, bytes: number, age: number) => {
    const path = join(cache, folder, name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "pack"), Buffer.alloc(bytes));
    const used = new Date(Date.now() - age);
    utimesSync(path, used, used);
  };
  put("modules/a", "new-and-large", 5000, 0);
  put("modules/a", "of-today", 300, 2 * hour);
  put("modules/a", "older", 800, 3 * hour);
  put("modules/b", "ancient", 1, 50 * hour);
  put("drafts", "killed", 1, 2 * hour);
  put("drafts", "under-way", 1, 0);
  await pruneCache(cache, { bytes: 5500, ageMs: 40 * hour });
  expect(copies(cache).map((path) => path.split("/").at(-1))).toEqual([
    "new-and-large",
    "of-today",
  ]);
  await pruneCache(cache, { bytes: 100, ageMs: 0 });
  expect(copies(cache).map((path) => path.split("/").at(-1))).toEqual(["new-and-large"]);
  expect(readdirSync(join(cache, "drafts"))).toEqual(["under-way"]);
});

test("a use renews the age of a copy", async () => {
  const { module, commit } = moduleWith();
  const cache = temporaryDirectory();
  await fetchFrom(module, cache);
  const [copy = ""] = copies(cache);
  utimesSync(copy, new Date(0), new Date(0));
  expect(await fetchFrom(module, cache)).toBe(commit);
  await pruneCache(cache);
  expect(copies(cache)).toEqual([copy]);
});
