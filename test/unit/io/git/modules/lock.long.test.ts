import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openModuleStore } from "../../../../../src/io/git/modules/store.ts";
import { describeProblem } from "../../../../support/describe-problem.ts";
import {
  environment,
  GitFixture,
  temporaryDirectory,
} from "../../../../support/git/git-fixture.ts";

/** A module at v1 (first commit) and main (second). */
class Module extends GitFixture {
  readonly cache = temporaryDirectory();
  readonly first = this.commit({ "cue.mod/module.cue": 'module: "m.example/m"\n' });
  readonly second: string;

  constructor() {
    super();
    this.git("tag", "v1");
    this.second = this.commit({ "a.cue": "1" });
  }

  /**
   * Fetches in a separate run. Returns the commit and the message about the revision, or the
   * problem.
   */
  async run(revision: string, locked: string | undefined): Promise<string> {
    const options = { cache: this.cache, base: this.directory, anywhere: true, environment };
    const store = openModuleStore(options);
    const result = await store.fetch({ repo: this.directory, revision, path: "", locked });
    if (!result.ok) return result.problems.map(describeProblem).join("\n");
    const { commit, moved } = result.value;
    const name = commit === this.first ? "first" : commit === this.second ? "second" : commit;
    if (moved === undefined) return name;
    const to = moved.to === this.first ? "first" : moved.to === this.second ? "second" : moved.to;
    return `${name}, but the ${moved.what} is ${to}`;
  }

  /** Makes the repository unreachable. */
  vanish(): void {
    renameSync(join(this.directory, ".git"), join(this.directory, "gone"));
  }
}

test("qvs uses the locked commit and reports the current commit of the tag or branch", async () => {
  const module = new Module();
  expect(await module.run("v1", module.first)).toBe("first");
  expect(await module.run("main", module.first)).toBe("first, but the branch is second");
  module.git("tag", "--force", "v1");
  module.git("tag", "v2");
  expect(await module.run("v2", module.first)).toBe("first, but the tag is second");
  module.git("tag", "--delete", "v2");
  expect(await module.run("v2", module.first)).toBe("first, but the missing is undefined");
});

test("a cached revision needs no host", async () => {
  const module = new Module();
  expect(await module.run("v1", module.first)).toBe("first");
  module.git("tag", "--force", "v1");
  expect(await module.run("v1", module.first)).toBe("first");
  module.vanish();
  expect(await module.run("v1", module.first)).toBe("first");
});

test("qvs asks the host about a locked commit that is cached under another name", async () => {
  const module = new Module();
  expect(await module.run("main", undefined)).toBe("second");
  expect(await module.run("v1", module.second)).toBe("second, but the tag is first");
  expect(await module.run("v1", module.second), "again").toBe("second, but the tag is first");
  module.vanish();
  expect(await module.run("v1", module.second)).toContain(
    "doesn't exist, or git has no access to it",
  );
});

test("a full or abbreviated commit id needs no resolution", async () => {
  const module = new Module();
  expect(await module.run(module.first.slice(0, 8), module.first)).toBe("first");
  module.vanish();
  expect(await module.run(module.first, module.first)).toBe("first");
  expect(await module.run(module.first.slice(0, 8), module.first)).toBe("first");
});

test("a tag whose name looks like a commit id decides about the commit", async () => {
  const module = new Module();
  // The author of a lockfile could search for a commit whose id begins like the tag.
  const tag = module.second.slice(0, 8);
  module.git("tag", tag, module.first);
  expect(await module.run(tag, module.first)).toBe("first");
  expect(await module.run(tag, module.second)).toBe("second, but the tag is first");
  expect(await module.run(tag, module.second), "again").toBe("second, but the tag is first");
});

test("a commit that was resolved without a lockfile is cached for the lockfile", async () => {
  const module = new Module();
  expect(await module.run("v1", undefined)).toBe("first");
  module.vanish();
  expect(await module.run("v1", module.first)).toBe("first");
});

test("a locked commit that no longer exists is reported with both names", async () => {
  const module = new Module();
  const lost = "f".repeat(40);
  expect(await module.run("v1", lost)).toBe(
    `"${module.directory}" no longer has the locked commit of "v1"
  locked: ${lost}
  now: ${module.first}
  → Find out why the commit was removed
    or run \`qvs lock\` and commit qvs.lock, if the new content is correct`,
  );
});
