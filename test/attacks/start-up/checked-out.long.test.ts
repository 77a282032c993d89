import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { GitFixture } from "../../io/git/git-fixture.ts";
import { attacks } from "../attack.ts";

/**
 * actions/checkout empties a folder that exists, and follows a link to do so. So nothing of the repository may lie where the
 * reusable workflows check the action out.
 */
const workflows = ["plan", "deploy", "rollback"] as const;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: object;
  readonly with?: { readonly path?: string };
}

const planted: readonly { readonly name: string; put(git: GitFixture): void }[] = [
  { name: "a file", put: (git) => git.write(".qvs-action", "") },
  { name: "an action", put: (git) => git.write(".qvs-action/action.yml", "runs: {}") },
  { name: "a package.json", put: (git) => git.write(".qvs-action/package.json", "{}") },
  { name: "a link to the repository itself", put: (git) => git.link(".qvs-action", ".") },
  { name: "a link to other actions", put: (git) => git.link(".qvs-action", "../../_actions") },
  { name: "a link to nothing", put: (git) => git.link(".qvs-action", "nothing") },
  { name: "a link to itself", put: (git) => git.link(".qvs-action", ".qvs-action") },
  { name: "a submodule", put: (git) => addSubmodule(git) },
];
attacks("start-up", "where the action is checked out: $name is refused", planted, async (each) => {
  const git = new GitFixture();
  each.put(git);
  // actions/checkout leaves an empty folder for a submodule, which git does not keep as a file.
  if (each.name !== "a submodule") git.commit();
  for (const workflow of workflows) {
    const { code, output } = await runGuard(workflow, git.directory, commit);
    expect(output).toMatch(/^::error title=QVS::The repository has .*\.qvs-action/);
    expect(code).toBe(1);
  }
});

const commit = "a".repeat(40);
const unknown = ["", "v1", "main", "refs/heads/main", `${commit} --upload-pack=x`, `x\n${commit}`];
attacks("start-up", "the action's commit: %j is refused", unknown, async (ref) => {
  const git = new GitFixture();
  for (const workflow of workflows) {
    const { code, output } = await runGuard(workflow, git.directory, ref);
    expect(output).toMatch(/^::error title=QVS::This GitHub does not tell the commit/);
    expect(code).toBe(1);
  }
});

test.each(workflows)("%s goes on where nothing is in the way", async (workflow) => {
  const git = new GitFixture();
  git.commit({ "README.md": "", "qvs-action/action.yml": "", ".qvs-actions": "" });
  expect(await runGuard(workflow, git.directory, commit)).toEqual({ code: 0, output: "" });
});

test.each(workflows)(
  "%s looks right before it checks the action out, and uses that",
  (workflow) => {
    const steps = stepsOf(workflow);
    const [repository, guard, action, use, ...others] = steps;
    expect(repository?.uses).toMatch(/^actions\/checkout@/);
    expect(repository?.with).not.toHaveProperty("path");
    expect(guard?.run).toContain(".qvs-action");
    expect(guard?.shell).toBe("bash");
    expect(action?.with?.path).toBe(".qvs-action");
    expect(use?.uses).toBe("./.qvs-action");
    // Nothing but uploads of what such a step has written.
    for (const { uses } of others)
      expect(uses).toMatch(/^(\.\/\.qvs-action$|actions\/upload-artifact@)/);
  },
);

function stepsOf(workflow: (typeof workflows)[number]): readonly Step[] {
  const path = join(import.meta.dirname, "../../../.github/workflows", `${workflow}.yml`);
  return parse(readFileSync(path, "utf8")).jobs[workflow].steps;
}

/** The step as a runner runs it. */
function runGuard(
  workflow: (typeof workflows)[number],
  directory: string,
  sha: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const { run = "" } = stepsOf(workflow)[1] ?? {};
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
