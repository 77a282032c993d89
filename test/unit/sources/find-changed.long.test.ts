import { expect, test } from "vitest";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { World } from "../../../src/ports/world.ts";
import { openCommitSource } from "../../../src/sources/commit-source.ts";
import { createFileLister } from "../../../src/sources/files-read.ts";
import { createChangeCheck } from "../../../src/sources/find-changed.ts";
import { listDeployments } from "../../../src/sources/list-deployments.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();

const config = (extra = "") => `modules:
  - name: shop.example/adapters
    local: {path: ../adapters}
designPatterns:
  - pattern: shop.example/adapters/web
    params: {name: $(params.name)}
params:
  - {name: name, type: string}
${extra}`;

const adapter = `package web

import "lib.example/labels"

DesignPattern: {
	parameters: name: string
	resources: app: web: {
		provider:   "kubernetes"
		apiVersion: "v1"
		kind:       "ConfigMap"
		metadata: {name: parameters.name, "labels": labels.all}
	}
}
`;

const files = {
  ".valuestream/deployments.yaml": `deployments:
  - {name: shop, config: qvs.yaml, params: [shop.yaml]}
  - {name: docs, config: qvs.yaml, params: [docs.yaml]}
`,
  ".valuestream/qvs.yaml": config(),
  ".valuestream/shop.yaml": "name: shop\n",
  ".valuestream/docs.yaml": "name: docs\n",
  "adapters/cue.mod/module.cue": 'module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n',
  "adapters/cue.mod/pkg/lib.example/labels/labels.cue": 'package labels\nall: team: "web"\n',
  "adapters/cue.mod/pkg/lib.example/unused/unused.cue": "package unused\na: 1\n",
  "adapters/web/web.cue": adapter,
  "adapters/web/embeds.cue":
    "@extern(embed)\n\npackage web\n\n_motd: _ @embed(file=motd.txt)\n_all: _ @embed(glob=parts/*.yaml)\n",
  "adapters/web/motd.txt": "hello",
  "adapters/web/parts/a.yaml": "a: 1",
  "adapters/web/other.cue": "package other\na: 1\n",
  "adapters/docs/docs.cue": adapter.replace("web", "docs"),
};

function shop(): GitFixture {
  const git = new GitFixture();
  for (const [path, text] of Object.entries(files)) git.write(path, text);
  return git;
}

/**
 * Returns the names of the deployments at the head that differ from the base, in the order of the
 * list.
 */
async function changed(git: GitFixture, base: string): Promise<readonly string[]> {
  return changedIn(await openShop(git.directory), base);
}

async function changedIn(world: World, base: string): Promise<readonly string[]> {
  const before = await openCommitSource(world, base);
  const isChanged = createChangeCheck(world);
  const [readHead, readBase] = [createFileLister(world.source, []), createFileLister(before, [])];
  const [head, earlier] = await Promise.all([listed(world.source), listed(before)]);
  const found = head.map(async (deployment) => {
    const old = earlier.find(({ name }) => name === deployment.name);
    const compared = {
      deployment,
      before: old,
      base: old && (await readBase(old)),
      head: await readHead(deployment),
    };
    return (await isChanged(base, compared)) ? [deployment.name] : [];
  });
  return (await Promise.all(found)).flat();
}

async function listed({ tree }: World["source"]) {
  const all = await listDeployments(tree, "shop");
  if (!all.ok) throw new Error(JSON.stringify(all.problems));
  return all.value;
}

const list = (...entries: readonly string[]) => ({
  ".valuestream/deployments.yaml": `deployments:\n${entries.map((each) => `  - ${each}\n`).join("")}`,
});
const shopEntry = "{name: shop, config: qvs.yaml, params: [shop.yaml]}";
const docsEntry = "{name: docs, config: qvs.yaml, params: [docs.yaml]}";

test.each([
  ["no file that is read", { "README.md": "The shop.", "adapters/web/readme.txt": "x" }, []],
  ["the config", { ".valuestream/qvs.yaml": config("# changed\n") }, ["shop", "docs"]],
  ["the params file of one deployment", { ".valuestream/docs.yaml": "name: papers\n" }, ["docs"]],
  ["a loaded CUE file", { "adapters/web/web.cue": `${adapter}// x\n` }, ["shop", "docs"]],
  [
    "a file of another package in the same directory",
    {
      "adapters/web/other.cue": "package other\na: 2\n",
      "adapters/web/third.cue": "package third",
    },
    [],
  ],
  [
    "a file of another package that becomes part of this one",
    { "adapters/web/other.cue": "package web\n_a: 2\n" },
    ["shop", "docs"],
  ],
  ["an embedded file", { "adapters/web/motd.txt": "bye" }, ["shop", "docs"]],
  ["a file that a glob matches", { "adapters/web/parts/a.yaml": "a: 2" }, ["shop", "docs"]],
  ["a new file that a glob matches", { "adapters/web/parts/b.yaml": "b: 2" }, ["shop", "docs"]],
  ["a sibling file that no glob matches", { "adapters/web/parts/a.txt": "a: 2" }, []],
  ["another adapter", { "adapters/docs/docs.cue": "package docs\nDesignPattern: {}\n" }, []],
  [
    "a loaded vendored file",
    { "adapters/cue.mod/pkg/lib.example/labels/labels.cue": 'package labels\nall: team: "api"\n' },
    ["shop", "docs"],
  ],
  [
    "a vendored file that isn't loaded",
    { "adapters/cue.mod/pkg/lib.example/unused/unused.cue": "package unused\na: 2\n" },
    [],
  ],
  [
    "a vendored file that becomes part of a loaded package",
    { "adapters/cue.mod/usr/lib.example/labels/more.cue": 'package labels\nall: tier: "1"\n' },
    ["shop", "docs"],
  ],
  [
    "the module file",
    {
      "adapters/cue.mod/module.cue":
        'module: "shop.example/adapters"\nlanguage: version: "v0.13.0"\n',
    },
    ["shop", "docs"],
  ],
  ["a lockfile that nothing reads", { ".valuestream/qvs.lock": "modules: []\n" }, []],
  [
    "a comment in deployments.yaml",
    { ".valuestream/deployments.yaml": `# ours\n${files[".valuestream/deployments.yaml"]}` },
    [],
  ],
  [
    "the entry of one deployment",
    list(shopEntry, docsEntry.replace("}", ", namespace: docs}")),
    ["docs"],
  ],
  ["the order of the entries", list(docsEntry, shopEntry), []],
  ["a new deployment", list(shopEntry, docsEntry, docsEntry.replace("docs", "new")), ["new"]],
  ["a deployment that no longer exists", list(shopEntry), []],
  ["the name of one deployment", list(shopEntry, docsEntry.replace("docs", "papers")), ["papers"]],
])("when %s changes", async (_, change, expected) => {
  const git = shop();
  const base = git.commit();
  git.commit(change as Readonly<Record<string, string>>);
  expect(await changed(git, base)).toEqual(expected);
});

test("a moved config is read from its new path", async () => {
  const git = shop();
  const base = git.commit();
  git.git("mv", ".valuestream/qvs.yaml", ".valuestream/qvs_shop.yaml");
  git.commit(list(shopEntry.replace("qvs.yaml", "qvs_shop.yaml")));
  expect(await changed(git, base)).toEqual(["shop"]);
});

test("a file that no longer matches a glob is a change", async () => {
  const git = shop();
  const base = git.commit({ "adapters/web/parts/b.yaml": "b: 1" });
  git.git("rm", "--quiet", "adapters/web/parts/b.yaml");
  git.commit();
  expect(await changed(git, base)).toEqual(["shop", "docs"]);
});

test("a file that is no longer loaded is a change", async () => {
  const git = shop();
  const base = git.commit({ "adapters/web/more.cue": "package web\nDesignPattern: {}\n" });
  git.git("rm", "--quiet", "adapters/web/more.cue");
  git.commit();
  expect(await changed(git, base)).toEqual(["shop", "docs"]);
});

test("a removed file is checked if the adapter didn't compile with it", async () => {
  const git = shop();
  const base = git.commit({ "adapters/web/broken.cue": "package web\nDesignPattern: {" });
  git.git("rm", "--quiet", "adapters/web/broken.cue");
  git.commit();
  expect(await changed(git, base)).toEqual(["shop", "docs"]);
});

test("a changed file mode isn't a change", async () => {
  const git = shop();
  const base = git.commit();
  git.git("update-index", "--chmod=+x", "adapters/web/web.cue");
  git.git("commit", "--quiet", "--message=x");
  expect(await changed(git, base)).toEqual([]);
});

test("links are resolved: a change of the target is a change, and so is a change of the link", async () => {
  const git = shop();
  git.write("shared/labels.cue", 'package web\n_shared: "1"\n');
  git.write("adapters/shared/labels.cue", 'package web\n_shared: "1"\n');
  git.link("adapters/web/shared.cue", "../shared/labels.cue");
  git.link(".valuestream/linked.yaml", "docs.yaml");
  const first = git.commit(list(shopEntry, docsEntry.replace("docs.yaml", "linked.yaml")));
  const second = git.commit({ "adapters/shared/labels.cue": 'package web\n_shared: "2"\n' });
  expect(await changed(git, first)).toEqual(["shop", "docs"]);
  const third = git.commit({ ".valuestream/docs.yaml": "name: papers\n" });
  expect(await changed(git, second)).toEqual(["docs"]);
  git.git("rm", "--quiet", ".valuestream/linked.yaml");
  git.link(".valuestream/linked.yaml", "shop.yaml");
  git.commit();
  expect(await changed(git, third)).toEqual(["docs"]);
});

test("qvs asks git for changed paths once, for any number of deployments", async () => {
  const git = shop();
  const base = git.commit();
  git.commit({ "README.md": "The shop." });
  const world = await openShop(git.directory);
  const ranges: string[] = [];
  const repository = {
    ...(world.repository as NonNullable<World["repository"]>),
    changedPaths: async (from: string, to: string | undefined) => {
      ranges.push(`${from}..${to}`);
      return [];
    },
  };
  expect(await changedIn({ ...world, repository }, base)).toEqual([]);
  expect(ranges).toEqual([`${base}..${git.git("rev-parse", "HEAD")}`]);
});

test("the engine compiles one of the deployments with the same adapters, and none without changed adapters", async () => {
  const git = shop();
  const first = git.commit({});
  const second = git.commit({ ".valuestream/docs.yaml": "name: papers\n" });
  git.commit({ "adapters/docs/docs.cue": "package docs\nDesignPattern: {}\n" });
  const compilations = async (base: string) => {
    const world = await openShop(git.directory);
    let count = 0;
    const compiler: Compiler = {
      ...world.source.compiler,
      compile: (request) => {
        count += 1;
        return world.source.compiler.compile(request);
      },
    };
    const names = await changedIn({ ...world, source: { ...world.source, compiler } }, base);
    return `${names.join(", ")}: ${count}`;
  };
  // The shop is compiled at both commits. The change of the docs is known from the file name.
  expect(await compilations(first)).toBe("docs: 2");
  expect(await compilations(second)).toBe(": 2");
  git.git("checkout", "--quiet", "--detach", second);
  expect(await compilations(first)).toBe("docs: 0");
});

test("manifests that an entry names are read, and no others", async () => {
  const git = new GitFixture();
  const base = git.commit({
    ".valuestream/qvs.yaml": `designPatterns:
  - manifests: ../k8s
  - manifests: ../extra/*.json
`,
    "k8s/web.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
    "extra/a.json": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}',
    "extra/b.yaml": "x: 1",
  });
  const since = async (files: Readonly<Record<string, string>>) => {
    git.git("reset", "--quiet", "--hard", base);
    git.commit(files);
    return changed(git, base);
  };
  expect(await since({ "extra/b.yaml": "x: 2", "k8s/readme.md": "x" })).toEqual([]);
  expect(
    await since({ "k8s/web.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: a}}" }),
  ).toEqual(["shop"]);
  expect(await since({ "k8s/sub/new.yaml": "" })).toEqual(["shop"]);
  expect(await since({ "extra/new.json": "" })).toEqual(["shop"]);
  git.git("reset", "--quiet", "--hard", base);
  git.git("rm", "--quiet", "extra/a.json");
  git.commit({ "extra/c.json": "{}" });
  expect(await changed(git, base)).toEqual(["shop"]);
});

test("the manifests of another deployment with the same adapters don't count", async () => {
  const entry = (folder: string) =>
    `${config()}`.replace(
      "params:\n  - {name: name",
      `  - manifests: ${folder}\nparams:\n  - {name: name`,
    );
  const git = shop();
  const base = git.commit({
    ".valuestream/deployments.yaml": `deployments:
  - {name: shop, config: qvs.yaml, params: [shop.yaml]}
  - {name: docs, config: qvs_docs.yaml, params: [docs.yaml]}
`,
    ".valuestream/qvs.yaml": entry("../k8s"),
    ".valuestream/qvs_docs.yaml": entry("../pages"),
    "k8s/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: k8s}}",
    "pages/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: pages}}",
  });
  git.commit({
    "adapters/readme.md": "x",
    "pages/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: p}}",
  });
  expect(await changed(git, base)).toEqual(["docs"]);
});

test("the files that a kustomization needs are read, and no others", async () => {
  const git = new GitFixture();
  const base = git.commit({
    ".valuestream/qvs.yaml": "designPatterns: [{kustomize: ../k8s/overlay}]\n",
    "k8s/overlay/kustomization.yaml": "resources: [../base]\n",
    "k8s/base/kustomization.yaml": "resources: [a.yaml]\n",
    "k8s/base/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
    "k8s/base/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}",
  });
  const since = async (files: Readonly<Record<string, string>>) => {
    git.git("reset", "--quiet", "--hard", base);
    git.commit(files);
    return changed(git, base);
  };
  expect(await since({ "k8s/base/b.yaml": "x", "readme.md": "x" })).toEqual([]);
  expect(
    await since({ "k8s/base/a.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: a}}" }),
  ).toEqual(["shop"]);
  expect(await since({ "k8s/base/kustomization.yaml": "resources: [a.yaml, b.yaml]" })).toEqual([
    "shop",
  ]);
});

test("the files of a chart and its values files are read, and no others", async () => {
  const git = new GitFixture();
  const base = git.commit({
    ".valuestream/qvs.yaml":
      "designPatterns: [{helm: {chart: ../charts/web, release: web, values: [../values/a.yaml]}}]\n",
    "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "charts/web/.helmignore": "docs/\n",
    "charts/web/docs/readme.md": "a",
    "charts/web/files/a.txt": "a",
    "charts/web/templates/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
    "charts/other/Chart.yaml": "apiVersion: v2\nname: other\nversion: 1.0.0\n",
    "values/a.yaml": "a: 1\n",
    "values/b.yaml": "a: 1\n",
  });
  const since = async (path: string) => {
    git.git("reset", "--quiet", "--hard", base);
    git.commit({ [path]: "a: 2\n" });
    return changed(git, base);
  };
  for (const path of ["values/b.yaml", "charts/other/values.yaml", "charts/web/docs/readme.md"])
    expect(await since(path)).toEqual([]);
  for (const path of ["values/a.yaml", "charts/web/files/a.txt", "charts/web/values.yaml"])
    expect(await since(path)).toEqual(["shop"]);
});
