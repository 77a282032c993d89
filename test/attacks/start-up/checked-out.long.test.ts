import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { attacks } from "../attack.ts";

const folder = join(import.meta.dirname, "../../../.github/workflows");

/**
 * Checks the paths at which the reusable workflows check out the action. actions/checkout empties
 * an existing directory and follows links to it. Therefore the repository must have no file at
 * these paths.
 */
const workflows = readdirSync(folder)
  .flatMap((file) => {
    const jobs = parse(readFileSync(join(folder, file), "utf8")).jobs as Record<string, Job>;
    return Object.entries(jobs).map(([name, { steps = [] }]) => ({
      job: `${file} ${name}`,
      steps,
    }));
  })
  .filter(({ steps }) => steps.some(isOfRepository) && steps.some(isOurs));

function isOurs({ uses }: Step): boolean {
  return uses === "./.qvs-action";
}

function isOfRepository({ uses = "", with: given }: Step): boolean {
  return uses.startsWith("actions/checkout@") && given?.repository === undefined;
}

interface Job {
  readonly steps?: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: object;
  readonly with?: { readonly path?: string; readonly repository?: string };
}

const planted: readonly { readonly name: string; put(git: GitFixture): void }[] = [
  { name: "a file", put: (git) => git.write(".qvs-action", "") },
  { name: "an action", put: (git) => git.write(".qvs-action/action.yml", "runs: {}") },
  { name: "a package.json", put: (git) => git.write(".qvs-action/package.json", "{}") },
  { name: "a link to the repository itself", put: (git) => git.link(".qvs-action", ".") },
  { name: "a link to other actions", put: (git) => git.link(".qvs-action", "../../_actions") },
  { name: "a broken link", put: (git) => git.link(".qvs-action", "nothing") },
  { name: "a link to itself", put: (git) => git.link(".qvs-action", ".qvs-action") },
  { name: "a submodule", put: (git) => addSubmodule(git) },
];
attacks("start-up", "where the action is checked out: $name is refused", planted, async (each) => {
  const git = new GitFixture();
  each.put(git);
  // actions/checkout creates an empty directory for a submodule, which git doesn't store as a file.
  if (each.name !== "a submodule") git.commit();
  for (const { steps } of workflows) {
    const { code, output } = await runGuard(steps, git.directory, commit);
    expect(output).toMatch(/^::error title=QVS::The repository has .*\.qvs-action/);
    expect(code).toBe(1);
  }
});

const commit = "a".repeat(40);
const unknown = ["", "v1", "main", "refs/heads/main", `${commit} --upload-pack=x`, `x\n${commit}`];
attacks("start-up", "the action's commit: %j is refused", unknown, async (ref) => {
  const git = new GitFixture();
  for (const { steps } of workflows) {
    const { code, output } = await runGuard(steps, git.directory, ref);
    expect(output).toMatch(/^::error title=QVS::This GitHub does not tell the commit/);
    expect(code).toBe(1);
  }
});

test("some jobs check out the action", () => {
  expect(workflows.map(({ job }) => job.replace(/ .*/, ""))).toEqual(
    expect.arrayContaining(["plan.yml", "deploy.yml", "rollback.yml", "drift.yml"]),
  );
});

test.each(workflows)("$job continues if no file is at the action's path", async ({ steps }) => {
  const git = new GitFixture();
  git.commit({ "README.md": "", "qvs-action/action.yml": "", ".qvs-actions": "" });
  expect(await runGuard(steps, git.directory, commit)).toEqual({ code: 0, output: "" });
});

test.each(workflows)(
  "$job checks the path immediately before it checks out the action, and uses that action",
  ({ steps }) => {
    const at = guardAt(steps);
    const [guard, action, use, ...others] = steps.slice(at);
    const before = steps.slice(0, at);
    // Before the guard runs, nothing of the repository is used.
    for (const { uses } of before) expect(uses ?? "").toMatch(/^(actions\/checkout@|$)/);
    for (const { with: given } of before) expect(given ?? {}).not.toHaveProperty("path");
    expect(guard?.run).toContain(".qvs-action");
    expect(guard?.shell).toBe("bash");
    expect(action?.with?.path).toBe(".qvs-action");
    // After it, only uploads and downloads of files that such steps write and read, and messages
    // about them.
    for (const { uses, run = "" } of [use, ...others].flatMap((step) => step ?? [])) {
      expect(uses ?? "./.qvs-action").toMatch(
        /^(\.\/\.qvs-action$|actions\/(up|down)load-artifact@)/,
      );
      for (const line of run.trim().split("\n")) expect(line).toMatch(words);
    }
  },
);

const words = /^\s*(echo "|exit 1$|if \[|fi$|$)/;

function guardAt(steps: readonly Step[]): number {
  return steps.findIndex(({ run }) => run?.includes(".qvs-action"));
}

/** Runs the step like a runner. */
function runGuard(
  steps: readonly Step[],
  directory: string,
  sha: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const { run = "" } = steps[guardAt(steps)] ?? {};
  const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", run];
  const env = { PATH: process.env.PATH, REPOSITORY: "qvs-action/qvs-action", COMMIT: sha };
  return new Promise((resolve) => {
    execFile("bash", args, { cwd: directory, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

function addSubmodule(git: GitFixture): void {
  git.write(".gitmodules", '[submodule "x"]\n\tpath = .qvs-action\n\turl = file:///nowhere\n');
  git.commit();
  git.git("update-index", "--add", "--cacheinfo", `160000,${commit},.qvs-action`);
  mkdirSync(join(git.directory, ".qvs-action"));
}
