import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openRepository } from "../../../src/io/git/repository.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { attacks } from "../attack.ts";

/**
 * Settings of a repository that name commands. A commit can contain a repository as plain files,
 * and git uses it if it is started in its directory. A user who checks out a pull request and
 * enters that directory hasn't allowed its commands.
 */
const commands: readonly { readonly name: string; readonly settings: readonly string[] }[] = [
  { name: "a filter that git status runs", settings: ["filter.x.clean=touch RAN; cat"] },
  {
    name: "a command that fetches missing objects",
    settings: [
      "core.repositoryformatversion=1",
      "extensions.partialClone=origin",
      "remote.origin.url=ssh://host.example/x",
      "remote.origin.promisor=true",
      "core.sshCommand=touch RAN; false",
    ],
  },
  {
    name: "a program that serves another repository",
    settings: [
      "core.repositoryformatversion=1",
      "extensions.partialClone=origin",
      "remote.origin.url=file:///nowhere",
      "remote.origin.promisor=true",
      "remote.origin.uploadpack=touch RAN; false",
    ],
  },
];

attacks("start-up", "a repository in a folder, with $name", commands, async ({ settings }) => {
  const ran = join(temporaryDirectory(), "ran");
  const outer = new GitFixture();
  const folder = join(outer.directory, "shop");
  mkdirSync(folder);
  const commit = bring(folder, (value) => value.replace("RAN", ran), settings);
  outer.git("add", "--all", "--force");
  outer.git("commit", "--quiet", "--message=x");

  const opened = await openRepository(folder, environment);
  await opened?.hasUncommittedChanges();
  await opened?.readTree(commit, "", [".yaml"]).catch(() => undefined);
  await opened?.resolve("1".repeat(40));

  expect(existsSync(ran)).toBe(false);
  expect(opened).toBeUndefined();
});

/**
 * Writes a repository whose directory is also its working tree, next to the files of the
 * application. One of its files is missing, and one is newer.
 */
function bring(
  folder: string,
  written: (value: string) => string,
  settings: readonly string[],
): string {
  const inner = new GitFixture(folder);
  writeFileSync(join(folder, "a.yaml"), "a");
  writeFileSync(join(folder, "b.yaml"), "b");
  const commit = inner.commit();
  const lost = inner.git("rev-parse", "HEAD:a.yaml");
  inner.git("config", "core.worktree", ".");
  for (const setting of settings) {
    const [name = "", value = ""] = setting.split(/=(.*)/s);
    inner.git("config", name, written(value));
  }
  const at = (...path: readonly string[]) => join(folder, ".git", ...path);
  mkdirSync(at("info"), { recursive: true });
  writeFileSync(at("info", "attributes"), "* filter=x\n");
  rmSync(at("objects", lost.slice(0, 2), lost.slice(2)));
  for (const name of ["HEAD", "config", "index", "info", "objects", "refs"]) {
    renameSync(at(name), join(folder, name));
  }
  rmSync(at(), { recursive: true });
  utimesSync(join(folder, "b.yaml"), 1, 1);
  return commit;
}
