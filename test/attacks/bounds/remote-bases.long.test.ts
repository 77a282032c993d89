import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openModuleStore } from "../../../src/io/git/modules/store.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { environment, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { BaseRepositories, configMap } from "../../support/servers/base-repositories.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/** Creates an application with a secret file, whose overlay uses the base `web` of a repository. */
async function withBase(files: Readonly<Record<string, string>>) {
  const place = await BaseRepositories.start(compiler);
  const base = place.create("bases", {
    "web/map.yaml": configMap("web", "v1"),
    "top.txt": "hunter2",
    ...files,
  });
  place.app.write("secret.txt", "hunter2");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v1']\n");
  return { place, base };
}

test.each([
  [
    "a path above its repository",
    "resources: [map.yaml, ../../../0/overlay]",
    "leads outside the repository",
  ],
  [
    "a path above its repository as a component",
    "components: [../../0]",
    "leads outside the repository",
  ],
  [
    "a path above its repository as a generator",
    "generators: [../../0/overlay]",
    "leads outside the repository",
  ],
  [
    "a file above its directory",
    "configMapGenerator: [{name: a, files: [../../../0/secret.txt]}]",
    "the path leads outside the repository",
  ],
  ["a file of its repository", "configMapGenerator: [{name: a, files: [../top.txt]}]", "below"],
  [
    "a path behind a line break",
    'resources: ["x\\n/../../../../0/overlay"]',
    "leads outside the repository",
  ],
  [
    "a path behind YAML",
    'generators: ["a: b\\n#/../../../../0/overlay"]',
    "leads outside the repository",
  ],
  [
    "a path with a control character",
    'configMapGenerator: [{name: a, files: ["k=\\x01/top.txt"]}]',
    "file does not exist",
  ],
  ["itself by a control character", 'resources: ["\\x01/web"]', "file does not exist"],
  ["an absolute path", "resources: [/0/secret.txt]", "cannot be absolute"],
  ["an absolute directory", "resources: [/0/overlay]", "cannot be absolute"],
  [
    "a patch above its directory",
    "patches: [{path: ../../0/secret.txt}]",
    "the path leads outside the repository",
  ],
  ["a file of this machine", "resources: ['file:///etc']", "isn't the address of a Git repository"],
  ["a helper of git", "resources: ['ext::sh -c touch% MARKER']", "can't be rendered"],
  ["a helper behind a prefix", "resources: ['git::ext::sh -c touch% MARKER']", "can't be rendered"],
  ["an option of git", "resources: ['--upload-pack=touch MARKER']", "can't be rendered"],
  [
    "an option as a host",
    "resources: ['ssh://-oProxyCommand=touch$IFS`echo MARKER`/a/b']",
    "isn't the address of a Git repository",
  ],
  [
    "no encryption",
    "resources: ['http://127.0.0.1:1/acme/bases//web']",
    "isn't the address of a Git repository",
  ],
  [
    "a file by http",
    "resources: ['https://127.0.0.1:1/acme/bases/web.yaml']",
    "is the address of a file",
  ],
  [
    "data by http",
    "configMapGenerator: [{name: a, files: ['https://127.0.0.1:1/a.conf']}]",
    "opens no connection",
  ],
  ["itself", "resources: ['https://HOST/acme/bases//web?ref=v1']", "cycle detected"],
])("a base can't use %s", async (_, kustomization, expected) => {
  const marker = join(temporaryDirectory(), "marker");
  const text = kustomization.replace("MARKER", marker);
  const { place } = await withBase({ "web/kustomization.yaml": `${text}\n` });
  const output = await place.qvs("lock");
  expect(output).toMatch(/^1\n/);
  expect(output).toContain(expected);
  expect(output).not.toContain("hunter2");
  expect(existsSync(marker)).toBe(false);
});

test("a kustomization can't read a base by the path at which the renderer has it", async () => {
  const { place } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  await place.qvs("lock");
  for (const path of ["../../1/web", "x\\n/../../../1/web"]) {
    place.overlay(`resources: ['https://HOST/acme/bases//web?ref=v1', "${path}"]\n`);
    expect(await place.qvs("compile")).toContain("leads outside the repository");
  }
});

test("a link of a base leads nowhere outside of its repository", async () => {
  const { place, base } = await withBase({
    "web/kustomization.yaml": "resources: [map.yaml]\n",
    "real.yaml": configMap("real", "v1"),
  });
  base.link("web/unused.yaml", "/etc/passwd");
  base.link("web/link.yaml", "../real.yaml");
  base.commit({ "web/kustomization.yaml": "resources: [map.yaml, link.yaml]\n" });
  base.git("tag", "v2");
  base.link("web/passwd", "../../../../../../etc/passwd");
  base.commit({ "web/kustomization.yaml": "configMapGenerator: [{name: a, files: [passwd]}]\n" });
  base.git("tag", "v3");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v2']\n");
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain("name: real\n");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v3']\n");
  expect(await place.qvs("lock")).toBe(`1
error[path-outside-repository]: The link "web/passwd" leads outside the repository
  --> overlay/kustomization.yaml:1:14
  --> .valuestream/qvs.yaml:1:30
  remote base: https://HOST/acme/bases//web?ref=v3
  help: Replace the link with a file, or with a link to a file of the repository

Nothing was changed.
`);
});

test("a submodule of a base isn't fetched", async () => {
  const { place, base } = await withBase({ "web/kustomization.yaml": "resources: [../sub]\n" });
  const commit = base.git("rev-parse", "HEAD");
  base.write(
    ".gitmodules",
    `[submodule "sub"]\npath = sub\nurl = https://${place.server.host}/acme/sub\n`,
  );
  base.git("update-index", "--add", "--cacheinfo", `160000,${commit},sub`);
  base.git("add", ".gitmodules");
  base.git("commit", "--quiet", "--message=x");
  base.git("tag", "v2");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v2']\n");
  expect(await place.qvs("lock")).toContain("can't be rendered");
  expect(place.server.paths.filter((path) => path.includes("/acme/sub"))).toEqual([]);
});

test("a name that isn't UTF-8 hides only its own file", async () => {
  const { place, base } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  const name = Buffer.concat([Buffer.from(join(base.directory, "web/caf")), Buffer.from([0xe9])]);
  writeFileSync(name, "x");
  base.commit();
  base.git("tag", "v2");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v2']\n");
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain("text: v1\n");
});

test("bases that name each other in a row end at a limit", async () => {
  const place = await BaseRepositories.start(compiler);
  for (let number = 1; number <= 12; number += 1) {
    place.create(`r${number}`, {
      "kustomization.yaml": `resources: ['https://HOST/acme/r${number + 1}?ref=v1']\n`,
    });
  }
  place.overlay("resources: ['https://HOST/acme/r1?ref=v1']\n");
  expect(await place.qvs("lock")).toBe(`1
error[input-too-large]: Kustomization "../overlay" has too many or too large remote bases
  --> .valuestream/qvs.yaml:1:30
  limit:    50 bases, 10 in a row, 500000 files
  named by: https://HOST/acme/r10?ref=v1: kustomization.yaml
  help: Copy some of the bases into the repository

Nothing was changed.
`);
});

test("many bases end at a limit before any is fetched", async () => {
  const place = await BaseRepositories.start(compiler);
  const all = Array.from({ length: 51 }, (_, index) => `'https://HOST/acme/r${index}?ref=v1'`);
  place.overlay(`resources: [${all.join(", ")}]\n`);
  expect(await place.qvs("lock")).toBe(`1
error[input-too-large]: Kustomization "../overlay" has too many or too large remote bases
  --> overlay/kustomization.yaml:1:14
  --> .valuestream/qvs.yaml:1:30
  limit: 50 bases, 10 in a row, 500000 files
  help: Copy some of the bases into the repository

Nothing was changed.
`);
  expect(place.server.paths).toEqual([]);
});

test("a tag that moved after `qvs lock` can't change a deployment, and a fresh machine reports it", async () => {
  const { place, base } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  await place.qvs("lock");
  place.commit(base, { "web/map.yaml": configMap("web", "evil") });
  base.git("tag", "--force", "v1");
  expect(await place.qvs("compile")).toContain("text: v1\n");
  expect(await place.qvsOnFreshMachine("compile")).toBe(`1
error[tag-moved]: Tag "v1" of remote base "https://HOST/acme/bases//web?ref=v1" was moved
  --> overlay/kustomization.yaml:1:14
  --> .valuestream/qvs.lock:5:5
  --> .valuestream/qvs.yaml:1:30
  locked: COMMIT
  help: Ask who moved the tag, and compare both commits
  help: or run \`qvs lock\` and commit .valuestream/qvs.lock to accept the current commit
`);
});

test("a lockfile that names another commit or another hash is an error", async () => {
  const { place, base } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  await place.qvs("lock");
  const commit = place.commit(base, { "web/map.yaml": configMap("web", "evil") });
  base.git("branch", "fork");
  place.changeLock(/commit: .*/, `commit: ${commit}`);
  expect(await place.qvs("compile")).toBe(`1
error[base-content-changed]: Remote base "https://HOST/acme/bases//web?ref=v1" doesn't match the lockfile
  --> overlay/kustomization.yaml:1:14
  --> .valuestream/qvs.lock:5:5
  --> .valuestream/qvs.yaml:1:30
  commit:      COMMIT
  locked hash: HASH
  why: A manual change of the lockfile can cause this
  help: Run \`git log -p .valuestream/qvs.lock\` to find the change
  help: or run \`qvs lock\` to lock the current content of the revision
`);
  await place.qvs("lock");
  place.changeLock(/hash: sha256:../, "hash: sha256:00");
  expect(await place.qvs("compile")).toContain("error[base-content-changed]");
});

test("a password in the address is an error that doesn't show it", async () => {
  const { place } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  for (const address of [
    "https://user:hunter2@HOST/acme/bases//web?ref=v1",
    "https://hunter2@HOST/acme/bases//web?ref=v1",
    "https://user:hunter2@HOST/acme/bases/web.yaml",
    "https://HOST/acme/bases//web?ref=v2&access_token=hunter2",
  ]) {
    place.overlay(`resources: ['${address}']\n`);
    for (const command of ["lock", "compile"]) {
      const output = await place.qvs(command);
      expect(output).toMatch(/^1\n/);
      expect(output).not.toContain("hunter2");
    }
  }
});

test("all repositories of a run share one limit", async () => {
  const place = await BaseRepositories.start(compiler);
  for (const name of ["a", "b"]) place.create(name, { "text.txt": "x".repeat(600) });
  const store = openModuleStore({
    cache: temporaryDirectory(),
    base: temporaryDirectory(),
    environment: { ...environment, ...place.server.trusted },
    maxCharacters: 1000,
  });
  const read = async (name: string) => {
    const repo = `https://${place.server.host}/acme/${name}`;
    const fetched = await store.fetchRepository({ repo, revision: "v1", locked: undefined });
    return fetched.ok
      ? fetched.value.tree.read("text.txt").then(
          (text) => `${text?.length} characters`,
          (error: Error) => error.message,
        )
      : fetched.problems.map(describeProblem).join("\n");
  };
  expect(await read("a")).toBe("600 characters");
  expect(await read("a"), "again").toBe("600 characters");
  expect(await read("b")).toContain("The modules and remote bases are too large together");
});

test("a file that unpacks to more than git's answer can have is an error", async () => {
  const { place, base } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  truncateSync(join(base.directory, "web/map.yaml"), 70 << 20);
  base.commit();
  base.git("tag", "v2");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v2']\n");
  expect(await place.qvs("lock")).toBe(`1
error[input-too-large]: git can't read files of the commit
  --> overlay/kustomization.yaml:1:14
  --> .valuestream/qvs.yaml:1:30
  remote base: https://HOST/acme/bases//web?ref=v2
  why: The files are too large
  help: Keep large files out of this directory

Nothing was changed.
`);
});

test("a damaged file in the cache is reported, removed and fetched again by the next run", async () => {
  const { place, base } = await withBase({ "web/kustomization.yaml": "resources: [map.yaml]\n" });
  await place.qvs("lock");
  damage(place.cache, base.git("rev-parse", "v1:web/map.yaml"));
  expect(await place.qvs("compile")).toBe(`1
error[module-cache-unusable]: The cached copy of https://HOST/acme/bases at v1 was damaged
  --> overlay/kustomization.yaml:1:14
  --> .valuestream/qvs.yaml:1:30
  remote base: https://HOST/acme/bases//web?ref=v1
  why: qvs deleted the copy
  help: Run again
  help: or check the disk, if the error occurs again
`);
  expect(await place.qvs("compile")).toContain("text: v1\n");
});

/** Overwrites an object in the only pack of a cache. */
function damage(cache: string, object: string): void {
  const names = readdirSync(cache, { recursive: true, encoding: "utf8" });
  const pack = join(cache, names.find((name) => name.endsWith(".pack")) ?? "");
  const listed = execFileSync("git", ["verify-pack", "-v", pack], { encoding: "utf8" });
  const line = listed.split("\n").find((each) => each.startsWith(object)) ?? "";
  const offset = Number(line.split(" ").at(-1));
  chmodSync(pack, 0o644);
  const bytes = readFileSync(pack);
  bytes.fill(0, offset + 2, offset + 20);
  writeFileSync(pack, bytes);
}
