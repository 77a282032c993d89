import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openRepository } from "../../../src/io/git/repository.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { attacks } from "../attack.ts";

/**
 * A commit can bring a repository along as plain files, which git takes for the one that it looks for as soon as it is started in their
 * folder: with settings that name commands. Whoever checks out a pull request and enters that folder has not allowed it to run any.
 */
const commands: readonly { readonly name: string; readonly settings: readonly string[] }[] = [
  { name: "a filter that git status starts", settings: ["filter.x.clean=touch RAN; cat"] },
  {
    name: "a way to fetch what the clone lacks",
    settings: [
      "core.repositoryformatversion=1",
      "extensions.partialClone=origin",
      "remote.origin.url=ssh://host.example/x",
      "remote.origin.promisor=true",
      "core.sshCommand=touch RAN; false",
    ],
  },
  {
    name: "a program that answers for another repository",
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

/** A repository whose folder is also its work tree, as files beside those of the application. One of its files is missing, one is newer. */
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
