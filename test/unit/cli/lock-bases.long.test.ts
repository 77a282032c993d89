import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { BaseRepositories, configMap } from "../../support/servers/base-repositories.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

test("a remote base is locked, and then compiled without a network", async () => {
  const place = await BaseRepositories.start(compiler);
  place.create("bases", {
    "web/kustomization.yaml": "resources: [../shared, map.yaml]\n",
    "web/map.yaml": configMap("web", "v1"),
    "shared/kustomization.yaml": "configMapGenerator: [{name: shared, files: [a.conf]}]\n",
    "shared/a.conf": "hello\n",
  });
  place.overlay("namePrefix: x-\nresources: ['https://HOST/acme/bases//web?ref=v1']\n");
  expect(await place.qvs("compile")).toBe(`1
error[lock-file-outdated]: Remote base "https://HOST/acme/bases//web?ref=v1" isn't in .valuestream/qvs.lock
  --> overlay/kustomization.yaml:2:14
  --> .valuestream/qvs.yaml:1:30
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`);
  expect(place.server.paths).toEqual([]);
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + https://HOST/acme/bases (web) v1: COMMIT
`);
  expect(
    place.lock,
  ).toBe(`# Git modules, charts and remote bases that the configs in this directory use. Written by \`qvs lock\`; commit this file.
version: 1
modules: []
bases:
  - repository: https://HOST/acme/bases
    path: web
    revision: v1
    commit: COMMIT
    hash: HASH
`);
  const requests = place.server.paths.length;
  const compiled = await place.qvs("compile");
  expect(compiled).toMatch(/^0\n/);
  expect(compiled).toContain("name: x-web\n");
  expect(compiled).toContain("name: x-shared-");
  expect(place.server.paths).toHaveLength(requests);
  expect(await place.qvs("lock", "--check")).toBe("0\n.valuestream/qvs.lock is up to date\n");
  expect(await place.qvsOnFreshMachine("compile")).toBe(compiled);
});

/** An application whose base names a base of another repository. */
async function nested() {
  const place = await BaseRepositories.start(compiler);
  const inner = place.create("inner", {
    "map/kustomization.yaml": "resources: [map.yaml]\n",
    "map/map.yaml": configMap("inner", "v1"),
  });
  const outer = place.create("outer", {
    "kustomization.yaml": "namePrefix: o-\nresources: ['https://HOST/acme/inner//map?ref=main']\n",
  });
  place.overlay("resources:\n  - https://HOST/acme/outer?ref=v1\n");
  return { place, inner, outer };
}

test("the bases of a base are locked too, and stay at their commits", async () => {
  const { place, inner } = await nested();
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + https://HOST/acme/inner (map) main: COMMIT
  + https://HOST/acme/outer v1: COMMIT
`);
  expect(await place.qvs("compile")).toContain("name: o-inner\n");
  expect(await place.qvs("compile", "--explain", "configmap/o-inner")).toBe(`0
app/configmap/o-inner: apiVersion = "v1"
  HOST/acme/inner@main/map/map.yaml:1:13 by kustomize: ../overlay
app/configmap/o-inner: data.text = "v1"
  HOST/acme/inner@main/map/map.yaml:4:14 by kustomize: ../overlay
app/configmap/o-inner: kind = "ConfigMap"
  HOST/acme/inner@main/map/map.yaml:2:7 by kustomize: ../overlay
app/configmap/o-inner: metadata.name = "o-inner"
  HOST/acme/outer@v1/kustomization.yaml:1:13 by kustomize: ../overlay
`);
  place.commit(inner, { "map/map.yaml": configMap("inner", "v2") });
  const compiled = await place.qvsOnFreshMachine("compile");
  expect(compiled).toContain("text: v1\n");
  expect(compiled).toContain(
    `warning[branch-moved]: Branch "main" of remote base "https://HOST/acme/inner//map?ref=main" has moved`,
  );
  expect(await place.qvs("lock", "--check")).toContain(
    'error[lock-file-outdated]: Remote base https://HOST/acme/inner (map) at "main" has a new commit',
  );
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain("text: v2\n");
});

test("a base of a base that the lockfile lacks is an error that names both", async () => {
  const { place } = await nested();
  await place.qvs("lock");
  place.changeLock(/ {2}- repository: \S*inner(\n {4}.*)*\n/, "");
  const requests = place.server.paths.length;
  expect(await place.qvs("compile")).toBe(`1
error[lock-file-outdated]: Remote base "https://HOST/acme/inner//map?ref=main" isn't in .valuestream/qvs.lock
  --> .valuestream/qvs.yaml:1:30
  named by: https://HOST/acme/outer?ref=v1: kustomization.yaml
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`);
  expect(place.server.paths).toHaveLength(requests);
});

test("a base without a revision is locked at the default branch", async () => {
  const place = await BaseRepositories.start(compiler);
  place.create("bases", {
    "kustomization.yaml": "resources: [map.yaml]\n",
    "map.yaml": configMap("web", "v1"),
  });
  place.overlay("resources: ['https://HOST/acme/bases']\n");
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + https://HOST/acme/bases HEAD: COMMIT
`);
  expect(await place.qvsOnFreshMachine("compile")).toContain("text: v1\n");
});

test("a base accepts a full commit id, but no shortened one", async () => {
  const place = await BaseRepositories.start(compiler);
  const base = place.create("bases", {
    "kustomization.yaml": "resources: [map.yaml]\n",
    "map.yaml": configMap("web", "v1"),
  });
  const commit = base.git("rev-parse", "HEAD");
  place.overlay(`resources: ['https://HOST/acme/bases?ref=${commit}']\n`);
  expect(await place.qvs("lock")).toContain("+ https://HOST/acme/bases COMMIT: COMMIT\n");
  expect(await place.qvsOnFreshMachine("compile")).toContain("text: v1\n");
  place.overlay(`resources: ['https://HOST/acme/bases?ref=${commit.slice(0, 12)}']\n`);
  expect(await place.qvs("lock")).toContain("error[revision-not-found]");
  place.changeLock(/revision: .*/, `revision: "${commit.slice(0, 12)}"`);
  for (const output of [await place.qvs("compile"), await place.qvsOnFreshMachine("compile")])
    expect(output).toContain("error[revision-not-found]");
});

test("a preview names the remote base that moved", async () => {
  const place = await BaseRepositories.start(compiler);
  const base = place.create("bases", {
    "kustomization.yaml": "resources: [map.yaml]\n",
    "map.yaml": configMap("web", "v1"),
  });
  place.overlay("resources: ['https://HOST/acme/bases?ref=main']\n");
  place.app.write(
    ".valuestream/deployments.yaml",
    "deployments: [{name: shop, config: qvs.yaml, namespace: shop}]\n",
  );
  await place.qvs("lock");
  const before = place.app.commit();
  place.commit(base, { "map.yaml": configMap("web", "v2") });
  await place.qvs("lock");
  place.app.commit();
  const shown = await place.qvs("diff", "-d", "shop", "--base", before, "--format", "json");
  const { sources } = JSON.parse(shown.slice(shown.indexOf("{"), shown.lastIndexOf("}") + 1));
  const moved = { from: "https://HOST/acme/bases", version: "main", pinned: "COMMIT" };
  expect(sources).toMatchObject([
    {
      type: "base",
      name: "https://HOST/acme/bases",
      isReplaced: false,
      before: moved,
      after: moved,
    },
  ]);
});

test("`qvs outdated` compares the tags of a remote base, and reads no directory for it", async () => {
  const place = await BaseRepositories.start(compiler);
  const base = place.create("bases", {
    "kustomization.yaml": "resources: [map.yaml]\n",
    "map.yaml": configMap("web", "v1"),
  });
  for (const tag of ["v1.0.0", "v1.1.0"]) base.git("tag", tag);
  place.overlay("resources: ['https://HOST/acme/bases?ref=v1.0.0']\n");
  await place.qvs("lock");
  expect(await place.qvs("outdated")).toBe(`0
https://HOST/acme/bases: v1.0.0 → v1.1.0
  --> .valuestream/qvs.lock:5
`);
  for (const local of ["./base", "/srv/base", "file:///srv/base"]) {
    place.changeLock(/repository: .*/, `repository: ${local}`);
    expect(await place.qvs("outdated")).toContain(
      `error[invalid-module-source]: "${local}" isn't the address of a Git repository
  --> .valuestream/qvs.lock:5:5`,
    );
  }
});

test("a kustomization that can't be rendered stops no lock without bases", async () => {
  const place = await BaseRepositories.start(compiler);
  place.create("adapters", { "cue.mod/module.cue": 'module: "m.example/m"\n' });
  place.app.write(
    ".valuestream/qvs.yaml",
    `modules: [{name: m.example/m, remote: {repo: "https://${place.server.host}/acme/adapters", revision: v1}}]
designPatterns: [{kustomize: ../overlay}]
`,
  );
  place.overlay("resources: [missing.yaml]\n");
  expect(await place.qvs("lock")).toContain("HOST/acme/adapters v1: COMMIT\n");
  expect(await place.qvs("compile")).toContain("can't be rendered");
  place.overlay("resources: ['https://HOST/acme/adapters?ref=v1', missing.yaml]\n");
  expect(await place.qvs("lock")).toMatch(/^1\nerror\[render-failed\]/);
});

test("an error names the line of an address that another one begins with", async () => {
  const place = await BaseRepositories.start(compiler);
  place.overlay("resources:\n  - https://HOST/acme/a/b.git/c\n  - https://HOST/acme/a\n");
  const output = await place.qvs("compile");
  expect(output).toContain(`"https://HOST/acme/a" isn't in .valuestream/qvs.lock
  --> overlay/kustomization.yaml:3:5
`);
});

test("a base that is no longer used leaves the lockfile", async () => {
  const { place } = await nested();
  await place.qvs("lock");
  place.app.write("overlay/map.yaml", configMap("web", "v1"));
  place.overlay("resources: [map.yaml]\n");
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  - https://HOST/acme/inner (map) main: no longer used
  - https://HOST/acme/outer v1: no longer used
`);
});

test("a deployment has changed if the lock of its base has", async () => {
  const { place, inner } = await nested();
  await place.qvs("lock");
  place.app.commit();
  place.app.write("README.md", "unrelated");
  const base = place.app.commit();
  place.commit(inner, { "map/map.yaml": configMap("inner", "v2") });
  const changed = async () => place.qvs("changed", "--base", base);
  expect(await changed()).toBe("0\n0 of 1 deployment changed since COMMIT\n");
  await place.qvs("lock");
  place.app.commit();
  expect(await changed()).toContain("1 of 1 deployment changed since COMMIT\n");
});

test("`qvs outdated` names bases with a newer tag", async () => {
  const place = await BaseRepositories.start(compiler);
  const bases = place.create("bases", {
    "web/kustomization.yaml": "resources: [map.yaml]\n",
    "web/map.yaml": configMap("web", "v1"),
  });
  bases.git("tag", "v1.0.0");
  place.overlay("resources: ['https://HOST/acme/bases//web?ref=v1.0.0']\n");
  await place.qvs("lock");
  bases.git("tag", "v1.1.0");
  expect(await place.qvs("outdated")).toBe(`0
https://HOST/acme/bases (web): v1.0.0 → v1.1.0
  --> .valuestream/qvs.lock:5
`);
});

test("a private base needs the token of the modules", async () => {
  const place = await BaseRepositories.start(compiler, "right");
  place.create("bases", {
    "kustomization.yaml": "resources: [map.yaml]\n",
    "map.yaml": configMap("web", "v1"),
  });
  place.overlay("resources: ['https://HOST/acme/bases?ref=v1']\n");
  expect(await place.qvs("lock")).toMatch(
    /^1\nerror\[module-access-denied\]: "https:\/\/HOST\/acme\/bases": access was denied\n/,
  );
  const token = { QVS_MODULES_TOKEN: "right", QVS_MODULES_HOST: place.server.host };
  expect(await place.run(["lock"], token)).toContain("+ https://HOST/acme/bases v1: COMMIT\n");
});
