import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { runHere } from "../../support/qvs/run-here.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const moduleFile = 'module: "acme.example/adapters"\n';
const webWith = (replicas: number) => `package web

DesignPattern: resources: app: web: {
	provider:   "kubernetes"
	apiVersion: "apps/v1"
	kind:       "Deployment"
	metadata: name: "web"
	spec: replicas: ${replicas}
}
`;
const qvsYaml = (revision: string) => `modules:
  - name: acme.example/adapters
    remote: {repo: git.acme.example/adapters, revision: ${revision}}
designPatterns:
  - pattern: acme.example/adapters/web
`;

/** A repository of adapters behind an https address, and an application that uses it at v1. */
class Place {
  readonly adapters = new GitFixture();
  readonly app = new GitFixture();
  readonly cache = temporaryDirectory();
  readonly first: string;

  constructor(config = qvsYaml("v1")) {
    const files = { "cue.mod/module.cue": moduleFile, "web/web.cue": webWith(1) };
    this.first = this.adapters.commit(files);
    this.adapters.git("tag", "v1");
    this.app.write(".valuestream/qvs.yaml", config);
  }

  qvs(...args: readonly string[]): Promise<string> {
    return this.run(args, this.cache);
  }

  qvsOnFreshMachine(...args: readonly string[]): Promise<string> {
    return this.run(args, temporaryDirectory());
  }

  private async run(args: readonly string[], cache: string): Promise<string> {
    const run = await runHere(this.app.directory, args, compiler, {
      ...environment,
      QVS_CACHE: cache,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.file://${this.adapters.directory}.insteadOf`,
      GIT_CONFIG_VALUE_0: "https://git.acme.example/adapters",
    });
    return this.named(`${run.code}\n${run.stdout}${run.stderr}`);
  }

  /** Replaces values that differ between runs by names: commits in order, then hashes. */
  private named(text: string): string {
    const commits = this.adapters.git("rev-list", "--all", "--reflog", "--reverse").split("\n");
    const hashes = [...new Set(text.match(/sha256:[0-9a-f]{64}/g))];
    const named = commits.reduce(
      (all, id, index) => all.replaceAll(id, `COMMIT${index + 1}`),
      text,
    );
    return hashes.reduce((all, hash, index) => all.replaceAll(hash, `HASH${index + 1}`), named);
  }

  get lock(): string {
    return readFileSync(join(this.app.directory, ".valuestream/qvs.lock"), "utf8");
  }

  writeLock(text: string): void {
    this.app.write(".valuestream/qvs.lock", text);
  }

  /** Replaces text that must be there. */
  editLock(from: RegExp, to: string): void {
    const text = this.lock;
    if (!from.test(text)) throw new Error(`The lock does not hold ${from}`);
    this.writeLock(text.replace(from, to));
  }

  /** Edits the lockfile like a careful user. */
  lockAgain(): void {
    this.editLock(/commit: .*/, `commit: ${this.adapters.git("rev-parse", "v1")}`);
    this.editLock(/sha256:.*/, `sha256:${computeHash(this.adapters)}`);
  }

  /** Creates a second commit, and moves the tag to it. */
  moveTag(): void {
    this.adapters.commit({ "web/web.cue": webWith(2) });
    this.adapters.git("tag", "--force", "v1");
  }
}

/** Computes the hash as the documentation describes it. */
function computeHash({ directory }: GitFixture): string {
  const files = "find -L . -name '*.cue' -printf '%P\\n' | LC_ALL=C sort";
  const command = `${files} | xargs -d '\\n' sha256sum | sha256sum`;
  return execFileSync("sh", ["-c", command], { cwd: directory }).toString().slice(0, 64);
}

test("qvs lock writes the commits of the revisions and reports it", async () => {
  const place = new Place();
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + git.acme.example/adapters v1: COMMIT1
`);
  expect(place.lock).toBe(
    `# Commits of the Git modules that the configs in this directory use. Written by \`qvs lock\`; commit this file.
version: 1
modules:
  - repository: git.acme.example/adapters
    revision: v1
    commit: ${place.first}
    hash: sha256:${computeHash(place.adapters)}
`,
  );
  expect(await place.qvs("lock")).toBe("0\n.valuestream/qvs.lock is up to date\n");
  expect(await place.qvs("lock", "--check")).toBe("0\n.valuestream/qvs.lock is up to date\n");
  expect(await place.qvs("lock", "--quiet")).toBe("0\n");
});

test("a run without a lockfile works and suggests one", async () => {
  const place = new Place();
  expect(await place.qvs("compile", "-o", "out")).toBe(`0
warning[module-not-locked]: Module acme.example/adapters@v1 isn't locked
  --> .valuestream/qvs.yaml:2:11
  why: If the tag or branch of a module moves, qvs deploys other content
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
Wrote 2 files to out
`);
  expect(await place.qvs("lock", "--check")).toBe(`1
error[lock-file-outdated]: .valuestream/qvs.lock doesn't exist
  why: Configs in its directory use modules from Git, charts of registries, or remote bases
  help: Run \`qvs lock\` and commit the file
`);
});

test("a full commit id needs no lockfile", async () => {
  const place = new Place();
  place.app.write(".valuestream/qvs.yaml", qvsYaml(place.first));
  expect(await place.qvs("compile", "-o", "out")).toBe("0\nWrote 2 files to out\n");
});

test("a locked run uses the locked commit, prints no warning and lists the lockfile among its inputs", async () => {
  const place = new Place();
  await place.qvs("lock");
  expect(await place.qvs("compile", "-o", "out")).toBe("0\nWrote 2 files to out\n");
  const json = await place.qvs("compile", "--format", "json");
  expect(JSON.parse(json.slice(2)).inputs).toEqual([
    ".valuestream/qvs.lock",
    ".valuestream/qvs.yaml",
    "acme.example/adapters@v1/cue.mod/module.cue",
    "acme.example/adapters@v1/web/web.cue",
  ]);
});

test("a cached and locked module needs no network, even if the tag moves or the host no longer exists", async () => {
  const place = new Place();
  await place.qvs("lock");
  place.moveTag();
  renameSync(join(place.adapters.directory, ".git"), join(place.adapters.directory, "gone"));
  const { code, stdout } = await runHere(place.app.directory, ["compile"], compiler, {
    ...environment,
    QVS_CACHE: place.cache,
  });
  expect(code).toBe(0);
  expect(stdout).toContain("replicas: 1");
});

/**
 * Events after a lockfile was written, with the output of a compilation on a new machine and of
 * `qvs lock --check`.
 */
const cases: readonly {
  readonly name: string;
  readonly happens: (place: Place) => void;
  readonly compile: string;
  readonly check: string;
}[] = [
  {
    name: "a moved tag is an error with both commits",
    happens: (place) => place.moveTag(),
    compile: `1
error[tag-moved]: Tag "v1" of module "acme.example/adapters" was moved
  --> .valuestream/qvs.yaml:2:11
  --> .valuestream/qvs.lock:4:5
  locked:  COMMIT1
  current: COMMIT2
  help: Ask who moved the tag, and compare both commits
  help: or run \`qvs lock\` and commit .valuestream/qvs.lock to accept the current commit
`,
    check: `1
error[lock-file-outdated]: Module git.acme.example/adapters at "v1" has a new commit
  --> .valuestream/qvs.lock:4:5
  locked:  COMMIT1
  current: COMMIT2
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
  },
  {
    name: "a tag that no longer exists is an error",
    happens: (place) => place.adapters.git("tag", "--delete", "v1"),
    compile: `1
error[revision-not-found]: Revision "v1" of module "acme.example/adapters" no longer exists
  --> .valuestream/qvs.yaml:2:11
  --> .valuestream/qvs.lock:4:5
  repository: git.acme.example/adapters
  locked:     COMMIT1
  help: Name a tag, branch or commit that exists, run \`qvs lock\`, and commit both files
`,
    check: `1
error[revision-not-found]: "git.acme.example/adapters" has no tag, branch or commit "v1"
  --> .valuestream/qvs.yaml:2:11
  examples: main
  help: Use a revision that exists
`,
  },
  {
    name: "another revision in the config",
    happens: (place) => {
      place.adapters.git("tag", "v2");
      place.app.write(".valuestream/qvs.yaml", qvsYaml("v2"));
    },
    compile: `1
error[lock-file-outdated]: Module "acme.example/adapters" is locked at another revision
  --> .valuestream/qvs.yaml:2:11
  --> .valuestream/qvs.lock:4:5
  config: "v2"
  locked: "v1"
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
    check: `1
error[lock-file-outdated]: Module git.acme.example/adapters at "v1" is locked but not used
  --> .valuestream/qvs.lock:4:5
  why: No config in this directory uses it
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock

error[lock-file-outdated]: Module git.acme.example/adapters at "v2" isn't locked
  --> .valuestream/qvs.lock:1:1
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock

2 errors.
`,
  },
  {
    name: "a module that the lockfile doesn't contain",
    happens: (place) => place.writeLock("version: 1\nmodules: []\n"),
    compile: `1
error[lock-file-outdated]: Module "acme.example/adapters" isn't in .valuestream/qvs.lock
  --> .valuestream/qvs.yaml:2:11
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
    check: `1
error[lock-file-outdated]: Module git.acme.example/adapters at "v1" isn't locked
  --> .valuestream/qvs.lock:1:1
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
  },
  {
    name: "an edited hash",
    happens: (place) => place.editLock(/sha256:.*/, `sha256:${"0".repeat(64)}`),
    compile: `1
error[module-content-changed]: Module "acme.example/adapters" doesn't match the lockfile
  --> .valuestream/qvs.yaml:2:11
  --> .valuestream/qvs.lock:4:5
  commit:      COMMIT1
  locked hash: HASH1
  found hash:  HASH2
  why: A manual change of the lockfile can cause this
  help: Run \`git log -p .valuestream/qvs.lock\` to find the change
  help: or run \`qvs lock\` to lock the current content of the revision
`,
    check: `1
error[lock-file-outdated]: Module git.acme.example/adapters at "v1" has a new hash
  --> .valuestream/qvs.lock:4:5
  locked:  HASH1
  current: HASH2
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
  },
  {
    name: "a manually written commit of the same repository, with its own hash, counts as a moved tag",
    happens: (place) => {
      place.moveTag();
      place.lockAgain();
      place.adapters.git("tag", "--force", "v1", place.first);
    },
    compile: `1
error[tag-moved]: Tag "v1" of module "acme.example/adapters" was moved
  --> .valuestream/qvs.yaml:2:11
  --> .valuestream/qvs.lock:4:5
  locked:  COMMIT2
  current: COMMIT1
  help: Ask who moved the tag, and compare both commits
  help: or run \`qvs lock\` and commit .valuestream/qvs.lock to accept the current commit
`,
    check: `1
error[lock-file-outdated]: Module git.acme.example/adapters at "v1" has a new commit
  --> .valuestream/qvs.lock:4:5
  locked:  COMMIT2
  current: COMMIT1
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
  },
  {
    name: "a commit that doesn't exist",
    happens: (place) => place.editLock(/commit: .*/, `commit: ${"f".repeat(40)}`),
    compile: `1
error[revision-not-found]: "git.acme.example/adapters" no longer has the locked commit of "v1"
  --> .valuestream/qvs.yaml:2:11
  locked: ${"f".repeat(40)}
  now:    COMMIT1
  help: Find out why the commit was removed
  help: or run \`qvs lock\` and commit qvs.lock, if the new content is correct
`,
    check: `1
error[lock-file-outdated]: Module git.acme.example/adapters at "v1" has a new commit
  --> .valuestream/qvs.lock:4:5
  locked:  ${"f".repeat(40)}
  current: COMMIT1
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`,
  },
  {
    name: "a lockfile with conflict markers",
    happens: (place) => place.editLock(/^/, "<<<<<<< HEAD\n"),
    compile: `1
error[invalid-yaml]: Unexpected text follows here
  --> .valuestream/qvs.lock:3:1
  help: Run \`qvs lock\`, which rewrites the file, and commit it
`,
    check: `1
error[invalid-yaml]: Unexpected text follows here
  --> .valuestream/qvs.lock:3:1
  help: Run \`qvs lock\`, which rewrites the file, and commit it
`,
  },
  {
    name: "a lockfile with unknown fields",
    happens: (place) => place.editLock(/commit: .*/, "comit: abc"),
    compile: `1
error[unknown-key]: Key "comit" is unknown
  --> .valuestream/qvs.lock:6:5
  help: Run \`qvs lock\`, which rewrites the file, and commit it
`,
    check: `1
error[unknown-key]: Key "comit" is unknown
  --> .valuestream/qvs.lock:6:5
  help: Run \`qvs lock\`, which rewrites the file, and commit it
`,
  },
  {
    name: "a lockfile of a later version of qvs",
    happens: (place) => place.editLock(/version: 1/, "version: 2"),
    compile: `1
error[invalid-lock-file]: Version "2" of the lockfile is unknown
  --> .valuestream/qvs.lock:2:10
  expected: 1
  help: Use the version of qvs that wrote it
  help: or run \`qvs lock\` with this version
`,
    check: `1
error[invalid-lock-file]: Version "2" of the lockfile is unknown
  --> .valuestream/qvs.lock:2:10
  expected: 1
  help: Use the version of qvs that wrote it
  help: or run \`qvs lock\` with this version
`,
  },
];

test.each(cases)("$name", async ({ happens, compile, check }) => {
  const place = new Place();
  await place.qvs("lock");
  happens(place);
  expect(await place.qvsOnFreshMachine("compile")).toBe(compile);
  expect(await place.qvs("lock", "--check")).toBe(check);
});

test("qvs lock writes a valid lockfile after any of these states", async () => {
  const place = new Place();
  place.moveTag();
  place.writeLock("<<<<<<< HEAD\n");
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + git.acme.example/adapters v1: COMMIT2
`);
  expect(await place.qvsOnFreshMachine("compile")).toContain("replicas: 2");
});

test("a moved branch is a notice, and the locked commit is used", async () => {
  const place = new Place(qvsYaml("main"));
  await place.qvs("lock");
  place.moveTag();
  const output = await place.qvsOnFreshMachine("compile");
  expect(output).toContain("replicas: 1");
  expect(output).toContain(`0`);
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  ~ git.acme.example/adapters main: COMMIT1 → COMMIT2
`);
});

test("the QVS configs of a directory share a lockfile, which lists each module once", async () => {
  const place = new Place();
  place.app.write(".valuestream/qvs_eu.yaml", qvsYaml("v1"));
  place.app.write(".valuestream/qvs_us.yaml", qvsYaml("main"));
  place.app.write("shop/.valuestream/qvs.yaml", qvsYaml(`"${place.first.slice(0, 10)}"`));
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + git.acme.example/adapters main: COMMIT1
  + git.acme.example/adapters v1: COMMIT1
Wrote shop/.valuestream/qvs.lock
  + git.acme.example/adapters ${place.first.slice(0, 10)}: COMMIT1
`);
  place.writeLock("version: 1\nmodules: []\n");
  expect(await place.qvs("lock", "--config", "shop/.valuestream/qvs.yaml", "--check")).toBe(
    "0\nshop/.valuestream/qvs.lock is up to date\n",
  );
});

test("all unresolvable modules are reported together, and nothing is written", async () => {
  const place = new Place(qvsYaml("v2"));
  place.app.write(".valuestream/qvs_eu.yaml", qvsYaml("v1.0.1"));
  place.adapters.git("tag", "v1.0.0");
  expect(await place.qvs("lock")).toBe(`1
error[revision-not-found]: "git.acme.example/adapters" has no tag, branch or commit "v2"
  --> .valuestream/qvs.yaml:2:11
  examples: main, v1, v1.0.0
  help: Did you mean "v1"? Use a revision that exists

error[revision-not-found]: "git.acme.example/adapters" has no tag, branch or commit "v1.0.1"
  --> .valuestream/qvs_eu.yaml:2:11
  examples: main, v1, v1.0.0
  help: Did you mean "v1.0.0"? Use a revision that exists

2 errors. Nothing was changed.
`);
  expect(existsSync(join(place.app.directory, ".valuestream/qvs.lock"))).toBe(false);
});

test("there is nothing to lock without modules from Git", async () => {
  const place = new Place(qvsYaml("v1").replace(/remote: .*/, "local: {path: ../adapters}"));
  expect(await place.qvs("lock")).toBe(
    "0\nNo config uses modules from Git, charts of registries or remote bases: nothing to lock\n",
  );
});

test("the lockfile isn't written through a link", async () => {
  const place = new Place();
  const target = join(temporaryDirectory(), "target");
  writeFileSync(target, "precious");
  symlinkSync(target, join(place.app.directory, ".valuestream/qvs.lock"));
  expect(await place.qvs("lock")).toContain("qvs.lock");
  expect(readFileSync(target, "utf8")).toBe("precious");
});

test("a module in a directory of its repository is locked with its path", async () => {
  const place = new Place();
  const folder = {
    "mono/adapters/cue.mod/module.cue": moduleFile,
    "mono/adapters/web/web.cue": webWith(7),
  };
  place.adapters.git("rm", "--quiet", "-r", "web", "cue.mod");
  place.adapters.commit(folder);
  place.adapters.git("tag", "v3");
  const named = (path: string) => qvsYaml(`v3${path}`);
  place.app.write(".valuestream/qvs.yaml", named(""));
  expect(await place.qvs("compile")).toBe(`1
error[module-file-missing]: git.acme.example/adapters at v3 has no CUE module at its root
  --> .valuestream/qvs.yaml:2:11
  modules: mono/adapters
  why: It has no file cue.mod/module.cue there
  help: Set the path of a module: remote: {repo: …, revision: …, path: mono/adapters}
`);
  place.app.write(".valuestream/qvs.yaml", named(", path: mono/adapters"));
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + git.acme.example/adapters (mono/adapters) v3: COMMIT2
`);
  expect(place.lock).toContain("    path: mono/adapters\n");
  const output = await place.qvsOnFreshMachine("compile");
  expect(output).toContain("replicas: 7");
  place.app.write(".valuestream/qvs.yaml", named(", path: ../other"));
  expect(await place.qvs("compile")).toContain(
    'Module path "../other" is outside its repository\n  --> .valuestream/qvs.yaml:3:67',
  );
});

test("`qvs outdated` compares the tags of a repository", async () => {
  const place = new Place(qvsYaml("v1.9.0"));
  for (const tag of ["v1.9.0", "v1.10.0", "v2.0.0-rc.1"]) place.adapters.git("tag", tag);
  expect(await place.qvs("outdated")).toBe(`0
git.acme.example/adapters: v1.9.0 → v1.10.0
  --> .valuestream/qvs.yaml:2
`);
  place.adapters.git("tag", "--delete", "v1.10.0");
  expect(await place.qvs("outdated")).toBe("0\nNo newer version of 1 source\n");
});
