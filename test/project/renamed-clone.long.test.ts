import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { publication } from "../../src/model/publication.ts";

/** Tests a clone of the whole repository under the name of another owner. */
const root = join(import.meta.dirname, "../..");
const clone = mkdtempSync(join(tmpdir(), "renamed-"));
let tracked: readonly string[];

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
  const all = run("git", ["ls-files", "-z"], root).split("\0");
  tracked = all.filter((path) => path !== "" && !/^(?:dist|bench)\//.test(path));
  for (const path of tracked) {
    mkdirSync(join(clone, dirname(path)), { recursive: true });
    cpSync(join(root, path), join(clone, path), { verbatimSymlinks: true });
  }
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  // `qvs init` needs no engine, but loads it.
  symlinkSync(join(root, "dist"), join(clone, "dist"));
  run("git", ["init", "--quiet"], clone);
  run("git", ["add", "--all", "--force", ...new Set(tracked.map(firstPart))], clone);
  run(process.execPath, ["scripts/name-publication.ts", "acme/deploy@v0"], clone);
});

function firstPart(path: string): string {
  return path.split("/")[0] ?? path;
}

test("workflows, documentation and examples name the new owner", () => {
  const former = `${publication.repository}/.github|${publication.repository}@`;
  const found = tracked.filter((path) => {
    if (!/\.(?:md|ya?ml|json|ts|cue)$/.test(path)) return false;
    return new RegExp(former).test(readFileSync(join(clone, path), "utf8"));
  });
  expect(found).toEqual([]);
  for (const name of readdirSync(join(clone, "workflows"))) {
    const text = readFileSync(join(clone, "workflows", name), "utf8");
    expect(text).toContain(`uses: acme/deploy/.github/workflows/${name}@v0`);
  }
});

test("qvs init writes workflows and schemas of the new owner", () => {
  const directory = mkdtempSync(join(tmpdir(), "started-"));
  run("git", ["init", "--quiet"], directory);
  run(process.execPath, [join(clone, "src/cli.ts"), "init"], directory);
  const workflows = readdirSync(join(directory, ".github/workflows"));
  expect(workflows.toSorted()).toEqual(["comment.yml", "deploy.yml", "plan.yml", "rollback.yml"]);
  for (const name of workflows) {
    const text = readFileSync(join(directory, ".github/workflows", name), "utf8");
    expect(text).toContain(`uses: acme/deploy/.github/workflows/${name}@v0`);
  }
  const list = readFileSync(join(directory, ".valuestream/deployments.yaml"), "utf8");
  expect(list).toContain("raw.githubusercontent.com/acme/deploy/v0/schema/");
});
