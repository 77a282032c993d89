import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isRepositoryArgument } from "../support/platform/npm-argument.ts";
import { rejectWorkflowFiles } from "../support/platform/workflow-files.ts";

interface Step {
  readonly name: string;
  readonly run?: string;
}

interface Job {
  readonly steps: readonly Step[];
}

const root = join(import.meta.dirname, "../..");
const { jobs }: { readonly jobs: Readonly<Record<string, Job>> } = parse(
  readFileSync(join(root, ".github/workflows/release.yml"), "utf8"),
);
const publish = jobs.publish?.steps ?? [];
const indexOf = (pattern: RegExp) => publish.findIndex(({ run }) => pattern.test(run ?? ""));

test.each([
  ["packed/qvs-action-1.2.3.tgz", true],
  ["acme/shop#main", true],
  ["./packed/qvs-action-1.2.3.tgz", false],
  ["/tmp/packed/qvs-action-1.2.3.tgz", false],
  ["a/packed/qvs-action-1.2.3.tgz", false],
  ["qvs-action-1.2.3.tgz", false],
])("npm reads %s as a repository: %s", (argument, expected) => {
  expect(isRepositoryArgument(argument)).toBe(expected);
});

test("the release publishes files, not repositories of other owners", () => {
  const run = publish[indexOf(/npm publish/)]?.run ?? "";
  const published = [...run.matchAll(/npm publish .* (\S+)$/gm)].map(([, argument]) => argument);
  expect(published).toEqual(['"$engine"', "./packed/*.tgz"]);
  expect(run).toContain("for engine in ./packed/engines/*.tgz;");
  for (const file of [
    "./packed/qvs-action-1.2.3.tgz",
    "./packed/engines/qvs-action-linux-x64-1.2.3.tgz",
  ])
    expect(isRepositoryArgument(file)).toBe(false);
});

test("the GitHub release exists before the package, and a second attempt skips it", () => {
  expect(indexOf(/gh release create/)).toBeGreaterThan(-1);
  expect(indexOf(/gh release create/)).toBeLessThan(indexOf(/npm publish/));
  expect(publish[indexOf(/gh release create/)]?.run).toMatch(/^gh release view .* \|\|\n/);
});

const moveTags = jobs["move-tags"]?.steps.find(({ run }) => run?.includes("git tag --force"));

test.each([
  { state: "main has the workflow files of the release", moved: true, prepare: () => {} },
  {
    state: "main has other workflow files",
    moved: false,
    prepare: (git: Git) => commitWorkflow(git, "b"),
  },
  {
    state: "main has other workflow files and a branch stays at the release",
    moved: true,
    prepare(git: Git) {
      git("push", "-q", "origin", "HEAD:refs/heads/releases/v1.2.3");
      commitWorkflow(git, "b");
    },
  },
])("the job moves the tags: $moved, if $state", { tags: "slow" }, ({ moved, prepare }) => {
  const { git, folder, origin } = released();
  prepare(git);
  rejectWorkflowFiles(origin);
  const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", moveTags?.run ?? ""];
  const env = { ...process.env, TAG: "v1.2.3" };
  const { status, stdout } = spawnSync("bash", args, { cwd: folder, env, encoding: "utf8" });
  expect(status).toBe(0);
  const tags = git("ls-remote", "--tags", "origin", "v1").trim();
  expect(tags !== "").toBe(moved);
  expect(stdout.includes("git push --force origin v1.2.3^{commit}:refs/tags/v1\n")).toBe(!moved);
});

type Git = (...args: readonly string[]) => string;

/** Returns a clone of a repository with the tag of a release at the tip of main. */
function released() {
  const [origin, folder] = [mkdtempSync(join(tmpdir(), "o-")), mkdtempSync(join(tmpdir(), "c-"))];
  const author = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  const git: Git = (...args) =>
    execFileSync("git", [...author, ...args], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", origin]);
  git("clone", "-q", origin, ".");
  git("checkout", "-q", "-B", "main");
  commitWorkflow(git, "a");
  git("tag", "v1.2.3");
  git("push", "-q", "origin", "v1.2.3");
  return { git, folder, origin };
}

function commitWorkflow(git: Git, text: string): void {
  const root = git("rev-parse", "--show-toplevel").trim();
  mkdirSync(join(root, ".github/workflows"), { recursive: true });
  writeFileSync(join(root, ".github/workflows/ci.yml"), text);
  git("add", "--all");
  git("commit", "-q", "-m", text);
  git("push", "-q", "origin", "main");
}
