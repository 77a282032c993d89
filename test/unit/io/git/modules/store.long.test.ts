import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openModuleStore } from "../../../../../src/io/git/modules/store.ts";
import type { ModuleStore } from "../../../../../src/ports/git.ts";
import { describeProblem } from "../../../../support/describe-problem.ts";
import {
  environment,
  GitFixture,
  temporaryDirectory,
} from "../../../../support/git/git-fixture.ts";

function storeIn(
  cache: string,
  base = temporaryDirectory(),
  env: Record<string, string> = {},
): ModuleStore {
  return openModuleStore({ cache, base, anywhere: true, environment: { ...environment, ...env } });
}

/** Returns `commit: files`, or the problems. */
async function fetched(
  store: ModuleStore,
  repo: string,
  revision: string,
  more: { readonly path?: string; readonly locked?: string } = {},
): Promise<string> {
  const { path = "", locked } = more;
  const result = await store.fetch({ repo, revision, path, locked });
  if (!result.ok) return result.problems.map(describeProblem).join("\n");
  const { commit, files, moved } = result.value;
  const all =
    files.in === "memory" ? [...files.files].map(([path, text]) => `${path}=${text}`) : [];
  const contents = all.filter((each) => !each.startsWith("cue.mod/")).join(" ");
  return `${commit}: ${contents}${moved === undefined ? "" : ` (${moved.what} ${moved.to})`}`;
}

/** Creates a repository that is a module. */
function moduleRepository(): GitFixture {
  const module = new GitFixture();
  module.write("cue.mod/module.cue", 'module: "acme.example/adapters"\n');
  return module;
}

test("a tag, an annotated tag, a branch and a commit are fetched alone and without history", async () => {
  const module = moduleRepository();
  const first = module.commit({ "a.cue": "1", "readme.md": "" });
  module.git("tag", "v1");
  const second = module.commit({ "a.cue": "2" });
  module.git("tag", "--annotate", "--message=x", "v2");
  module.git("branch", "feature/x");
  const third = module.commit({ "a.cue": "3" });
  const cache = temporaryDirectory();
  const store = storeIn(cache);
  const expected = {
    v1: `${first}: a.cue=1`,
    v2: `${second}: a.cue=2`,
    "feature/x": `${second}: a.cue=2`,
    "refs/tags/v1": `${first}: a.cue=1`,
    main: `${third}: a.cue=3`,
    [third]: `${third}: a.cue=3`,
    [first]: `${first}: a.cue=1`,
    [second.slice(0, 9)]: `${second}: a.cue=2`,
  };
  for (const [revision, text] of Object.entries(expected)) {
    expect(await fetched(store, module.directory, revision), revision).toBe(text);
  }
  expect(readdirSync(join(cache, "drafts"))).toEqual([]);
});

test("a branch is constant within a run and updated by the next; a cached commit needs no host", async () => {
  const module = moduleRepository();
  const first = module.commit({ "a.cue": "1" });
  const cache = temporaryDirectory();
  const run = storeIn(cache);
  expect(await fetched(run, module.directory, "main")).toBe(`${first}: a.cue=1`);
  const second = module.commit({ "a.cue": "2" });
  expect(await fetched(run, module.directory, "main")).toBe(`${first}: a.cue=1`);
  expect(await fetched(storeIn(cache), module.directory, "main")).toBe(`${second}: a.cue=2`);
  renameSync(join(module.directory, ".git"), join(module.directory, "gone"));
  expect(await fetched(storeIn(cache), module.directory, first)).toBe(`${first}: a.cue=1`);
  const outcome = await fetched(storeIn(cache), module.directory, "main");
  expect(outcome).toContain("doesn't exist, or git has no access to it");
});

test("a tag takes precedence over a branch of the same name", async () => {
  const module = moduleRepository();
  const first = module.commit({ "a.cue": "1" });
  module.git("tag", "v1");
  module.commit({ "a.cue": "2" });
  module.git("branch", "v1");
  expect(await fetched(storeIn(temporaryDirectory()), module.directory, "v1")).toBe(
    `${first}: a.cue=1`,
  );
});

test("parallel runs share a cache", async () => {
  const module = moduleRepository();
  const commit = module.commit({ "a.cue": "1" });
  module.git("tag", "v1");
  const cache = temporaryDirectory();
  const stores = Array.from({ length: 6 }, () => storeIn(cache));
  const all = await Promise.all(stores.map((store) => fetched(store, module.directory, "v1")));
  expect(all).toEqual(stores.map(() => `${commit}: a.cue=1`));
  expect(readdirSync(join(cache, "drafts"))).toEqual([]);
});

test("a missing revision is reported with similar names", async () => {
  const module = moduleRepository();
  module.commit({ "a.cue": "1" });
  module.git("tag", "v0.23.0");
  const store = storeIn(temporaryDirectory());
  expect(await fetched(store, module.directory, "v0.23.1")).toBe(
    `"${module.directory}" has no tag, branch or commit "v0.23.1"\n  examples: main, v0.23.0\n  → Did you mean "v0.23.0"? Use a revision that exists`,
  );
  expect(await fetched(store, module.directory, "f".repeat(40))).toContain(
    `has no commit "${"f".repeat(40)}"`,
  );
  expect(await fetched(store, module.directory, "abcdef1")).toContain('has no commit "abcdef1"');
  expect(await fetched(store, module.directory, "--upload-pack=touch x")).toContain(
    "has no tag, branch or commit",
  );
});

test("no hook of the module or of the user's templates or settings runs", async () => {
  const module = moduleRepository();
  const commit = module.commit({ "a.cue": "1" });
  const proof = join(temporaryDirectory(), "proof");
  const template = temporaryDirectory();
  for (const hooks of [join(module.directory, ".git/hooks"), join(template, "hooks")]) {
    mkdirSync(hooks, { recursive: true });
    for (const name of ["post-checkout", "reference-transaction", "post-update", "pre-auto-gc"]) {
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
    }
  }
  const settings = {
    GIT_TEMPLATE_DIR: template,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: join(template, "hooks"),
  };
  const store = storeIn(temporaryDirectory(), undefined, settings);
  expect(await fetched(store, module.directory, "main")).toBe(`${commit}: a.cue=1`);
  expect(existsSync(proof)).toBe(false);
});

test("links out of a module aren't read", async () => {
  const module = moduleRepository();
  module.link("evil.cue", "/etc/passwd");
  module.link("good.cue", "a.cue");
  const commit = module.commit({ "a.cue": "1" });
  expect(await fetched(storeIn(temporaryDirectory()), module.directory, "main")).toBe(
    `${commit}: a.cue=1 good.cue=1`,
  );
});

test("a local repository is read only inside the application's, unless the caller allows others", async () => {
  const base = moduleRepository();
  const commit = base.commit({ "a.cue": "1" });
  const other = new GitFixture();
  other.commit({ "b.cue": "1" });
  base.link("escape", other.directory);
  const store = openModuleStore({ cache: temporaryDirectory(), base: base.directory, environment });
  expect(await fetched(store, ".", "main")).toBe(`${commit}: a.cue=1`);
  expect(await fetched(store, `file://${base.directory}`, "main")).toBe(`${commit}: a.cue=1`);
  for (const repo of [other.directory, `file://${other.directory}`, "../x", "./escape", "./none"]) {
    expect(await fetched(store, repo, "main"), repo).toContain("isn't inside this repository");
  }
});

test("the user's own insteadOf settings apply", async () => {
  const module = moduleRepository();
  const commit = module.commit({ "a.cue": "1" });
  const settings = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${module.directory}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://git.acme.example/adapters",
  };
  const store = storeIn(temporaryDirectory(), undefined, settings);
  expect(await fetched(store, "git.acme.example/adapters", "main")).toBe(`${commit}: a.cue=1`);
});

test("no setting makes git run a command to access a repository", async () => {
  const proof = join(temporaryDirectory(), "proof");
  const settings = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.ext::touch ${proof} .insteadOf`,
    GIT_CONFIG_VALUE_0: "https://git.acme.example/adapters",
    GIT_ALLOW_PROTOCOL: "ext",
  };
  const store = storeIn(temporaryDirectory(), undefined, settings);
  const outcome = await fetched(store, "git.acme.example/adapters", "main");
  expect(outcome).toContain("qvs fetches modules and bases only by https and ssh");
  expect(existsSync(proof)).toBe(false);
});

test("modules work with safe.bareRepository=explicit", async () => {
  const module = moduleRepository();
  const commit = module.commit({ "a.cue": "1" });
  const settings = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.bareRepository",
    GIT_CONFIG_VALUE_0: "explicit",
  };
  const store = storeIn(temporaryDirectory(), undefined, settings);
  expect(await fetched(store, module.directory, "main")).toBe(`${commit}: a.cue=1`);
  expect(await fetched(store, module.directory, commit)).toBe(`${commit}: a.cue=1`);
});

test("the cache ignores the settings of a surrounding repository", async () => {
  const module = moduleRepository();
  const commit = module.commit({ "a.cue": "1" });
  const around = new GitFixture();
  around.git("config", "url.file:///nonexistent.insteadOf", `file://${module.directory}`);
  const store = storeIn(join(around.directory, "cache"));
  expect(await fetched(store, module.directory, "main")).toBe(`${commit}: a.cue=1`);
  rmSync(join(around.directory, ".git"), { recursive: true });
  expect(await fetched(store, module.directory, "main")).toBe(`${commit}: a.cue=1`);
});

test.each([
  ["an option", "--upload-pack=touch /tmp/x"],
  ["another transport", "ext::sh -c touch% /tmp/x"],
  ["plain http", "http://github.com/acme/adapters"],
  ["git's own protocol", "git://github.com/acme/adapters"],
  ["a host that is an option", "ssh://-oProxyCommand=x/acme"],
  ["a name without a host", "acme/adapters"],
  ["a line break", "github.com/acme\nadapters"],
  ["nothing", ""],
])("rejects %s as an address", async (_, repo) => {
  expect(await fetched(storeIn(temporaryDirectory()), repo, "v1")).toContain(
    "isn't the address of a Git repository",
  );
});

test("an address with a token is rejected without the token in the message", async () => {
  const store = storeIn(temporaryDirectory());
  for (const repo of [
    "https://x:hunter2@github.com/acme/a",
    "https://hunter2@github.com/acme/a",
    "ssh://git:hunter2@github.com/acme/a",
    "http://x:hunter2@github.com/acme/a",
  ]) {
    const outcome = await fetched(store, repo, "v1");
    expect(outcome).toMatch(/contains a (user name or token|password)|isn't the address/);
    expect(outcome).not.toContain("hunter2");
  }
});
