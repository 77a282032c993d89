import { lstatSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderLayout } from "../../../src/report/trace/render-layout.ts";
import { compileDeployment } from "../../../src/sources/compile-deployment.ts";
import type { CompilePurpose } from "../../../src/sources/evaluate-deployment.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";
import { lines, resultText } from "../config/result-text.ts";

const openShop = useWorlds();

const deployment = `{
  "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
  "spec": {
    "replicas": "$(params.replicas)",
    "template": {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}
  }
}`;

const config = (entries: string) => `params: [{name: replicas, type: int}]
modules: [{name: shop.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - manifests: ../k8s
    namespace: shop
${entries}`;

/** Compiles the Deployment of `k8s/` with an adapter that declares `resources`. */
async function compile(entries: string, resources: string, files = {}) {
  return compileIn(new GitFixture(), entries, {
    "k8s/web.json": deployment,
    "adapters/add/add.cue": `package add\n\nDesignPattern: ${resources}\n`,
    ...files,
  });
}

/** Compiles the files of a repository with a config and more files. */
async function compileIn(
  git: GitFixture,
  entries: string,
  files: Readonly<Record<string, string>>,
  purpose: CompilePurpose = "deploy",
) {
  git.commit({
    ".valuestream/qvs.yaml": config(entries),
    ".valuestream/params.yaml": "replicas: 2\n",
    "adapters/cue.mod/module.cue":
      'module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n',
    ...files,
  });
  const world = await openShop(git.directory);
  const options = {
    name: "shop",
    config: ".valuestream/qvs.yaml",
    params: [".valuestream/params.yaml"],
  };
  const shop = { ...options, namespace: "default", dependsOn: [] } as never;
  return compileDeployment(world.source, shop, [], purpose, { trace: true });
}

async function compiled(entries: string, resources: string, files = {}): Promise<string> {
  return resultText(await compile(entries, resources, files), ({ compilation }) =>
    compilation.resources
      .map((each) => {
        const where = each.type === "manifest" ? each.where : undefined;
        const content = each.type === "manifest" ? each.object : each.content;
        return `${each.stage}/${each.id} ${where?.file}:${where?.line} ${JSON.stringify(content)}`;
      })
      .join("\n"),
  );
}

const add = "  - pattern: shop.example/adapters/add\n";

test("an adapter adds fields to an object of a file by its id", async () => {
  const found = await compiled(
    add,
    '{resources: app: "deployment/shop/web": {metadata: labels: team: "web", spec: template: spec: containers: [{env: [{name: "A", value: "1"}]}]}}',
  );
  expect(found).toBe(
    'app/deployment/shop/web k8s/web.json:1 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"team":"web"},"name":"web","namespace":"shop"},"spec":{"replicas":2,"template":{"spec":{"containers":[{"env":[{"name":"A","value":"1"}],"name":"web","image":"web:1"}]}}}}',
  );
});

const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
const embedding = '"configmap/a": {apiVersion: "v1", kind: "ConfigMap", data: f: _f}';
const link = (path: string, target: string) => (git: GitFixture) => git.link(path, target);
const write = (path: string, text: string) => (git: GitFixture) => git.write(path, text);

test.each([
  ["a broken resource", "kustomize: ../kz", link("kz/b.yaml", "gone"), 'Link "kz/b.yaml" leads'],
  ["a broken patch", "kustomize: ../kz", link("kz/p.yaml", "gone"), 'Link "kz/p.yaml" leads'],
  [
    "a linked directory as resource",
    "kustomize: ../kz",
    link("kz/b.yaml", "../k8s"),
    '"kz/b.yaml" can\'t be read',
  ],
  [
    "a pointer of Git LFS",
    "kustomize: ../kz",
    write("kz/b.yaml", lfsPointer),
    '"kz/b.yaml" is a pointer',
  ],
  [
    "a broken template",
    "helm: {chart: ../ch, release: r}",
    link("ch/templates/b.yaml", "gone"),
    'Link "ch/templates/b.yaml" leads',
  ],
  [
    "broken values",
    "helm: {chart: ../ch, release: r}",
    link("ch/values.yaml", "gone"),
    'Link "ch/values.yaml" leads',
  ],
  [
    "a broken file of values",
    "helm: {chart: ../ch, release: r, values: [../v.yaml]}",
    link("v.yaml", "gone"),
    'Link "v.yaml" leads',
  ],
  [
    "an embedded pointer",
    "pattern: shop.example/adapters/add",
    write("adapters/add/f.txt", lfsPointer),
    '"adapters/add/f.txt" is a pointer',
  ],
] as const)("%s is an error instead of an empty file", async (_, entry, fill, expected) => {
  const git = new GitFixture();
  fill(git);
  const object = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  const files = {
    "k8s/web.json": deployment,
    "kz/kustomization.yaml": "resources: [a.yaml, b.yaml]\npatches: [{path: p.yaml}]\n",
    "kz/a.yaml": object("a"),
    "kz/b.yaml": object("b"),
    "kz/p.yaml": object("a"),
    "ch/Chart.yaml": "apiVersion: v2\nname: ch\nversion: 1.0.0\n",
    "ch/values.yaml": "{}\n",
    "ch/templates/a.yaml": object("a"),
    "ch/templates/b.yaml": object("b"),
    "adapters/add/f.txt": "text",
    "adapters/add/add.cue": `@extern(embed)\npackage add\n_f: string @embed(file=f.txt,type=text)\nDesignPattern: resources: app: {${embedding}}\n`,
  };
  for (const [path, text] of Object.entries(files)) if (!exists(git, path)) git.write(path, text);
  const result = await compileIn(git, `  - ${entry}\n`, {});
  expect(resultText(result, () => "compiled")).toContain(expected);
});

function exists(git: GitFixture, path: string): boolean {
  return lstatSync(join(git.directory, path), { throwIfNoEntry: false }) !== undefined;
}

test("a conflict with an adapter names both places", async () => {
  const found = await compiled(add, '{resources: app: "deployment/shop/web": spec: replicas: 3}');
  expect(found).toBe(lines`
    k8s/web.json:4:17: Resource app/deployment/shop/web: spec.replicas has two different values
      and .valuestream/params.yaml:1:11
      and adapters/add/add.cue:3:72
      values: 2 and 3
      set by: "manifests: ../k8s" and "shop.example/adapters/add"
      → Change the parameter that one of the values comes from
        or change the adapter`);
});

test("an object of an adapter and of a file under different ids is an error with both places", async () => {
  const found = await compiled(
    add,
    '{resources: app: web: {apiVersion: "apps/v1", kind: "Deployment", metadata: {name: "web", namespace: "shop"}}}',
  );
  expect(found).toBe(lines`
    k8s/web.json:1:1: Deployment shop/web is declared by 2 resources
      and adapters/add/add.cue:3:33
      resources: app/deployment/shop/web, app/web
      → Give them one resource id, so that qvs unifies them
        or give the objects different names`);
});

test("the layout names the file and the line of each field", async () => {
  const found = await compile("", "{}");
  const text = resultText(found, ({ compilation }) => renderLayout(compilation));
  expect(text.slice(text.indexOf("composites:"))).toBe(
    `${lines`
    composites:
      - pattern: "manifests: ../k8s"
        written: .valuestream/qvs.yaml:4:16
        used: .valuestream/qvs.yaml:4:16
        from:
          replicas: k8s/web.json:4:18 ← replicas
        resources:
          app/deployment/shop/web:
            apiVersion: k8s/web.json:2:17
            kind: k8s/web.json:2:36
            metadata.name: k8s/web.json:2:71
            metadata.namespace: .valuestream/qvs.yaml:5:16
            spec.replicas: k8s/web.json:4:17 ← replicas
            spec.template.spec.containers[0].name: k8s/web.json:5:51
            spec.template.spec.containers[0].image: k8s/web.json:5:67`}\n`,
  );
});

test("the compilation names every file that it read", async () => {
  const found = await compile(add, "{}", { "k8s/empty.yaml": "# nothing\n" });
  const text = resultText(found, ({ compilation }) => compilation.inputs.join("\n"));
  expect(text).toBe(lines`
    .valuestream/params.yaml
    .valuestream/qvs.yaml
    adapters/add/add.cue
    adapters/cue.mod/module.cue
    k8s/empty.yaml
    k8s/web.json`);
});

const overlay = {
  "k8s/overlay/kustomization.yaml": "resources: [../base]\nnamePrefix: x-\n",
  "k8s/base/kustomization.yaml":
    "resources: [a.yaml]\nconfigMapGenerator: [{name: made, files: [sub/text.conf]}]\n",
  "k8s/base/a.yaml":
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {n: $(params.replicas)}}",
  "k8s/base/sub/text.conf": "hello",
  "k8s/base/unused.yaml": "x: 1",
  "k8s/web.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}',
  ".valuestream/qvs.yaml":
    "params: [{name: replicas, type: int}]\ndesignPatterns: [{kustomize: ../k8s/overlay, namespace: shop}]\n",
};

test("a kustomization is rendered from the files of the commit, with its bases", async () => {
  const found = await compile("", "{}", overlay);
  const text = resultText(found, ({ compilation }) =>
    [
      ...compilation.resources.map((each) => `${each.stage}/${each.id}`),
      ...compilation.inputs,
    ].join("\n"),
  );
  expect(text).toBe(lines`
    app/configmap/shop/x-a
    app/configmap/shop/x-made-bk64577tdd
    .valuestream/params.yaml
    .valuestream/qvs.yaml
    k8s/base/a.yaml
    k8s/base/kustomization.yaml
    k8s/base/sub/text.conf
    k8s/overlay/kustomization.yaml`);
});

test.each([
  ["a missing base", "resources: [../bse]", "Correct the file that the message names"],
  [
    "a base at another host",
    "resources: ['https://bases.example/a.yaml']",
    "Copy the file into the repository: qvs reads only remote bases, and only from Git",
  ],
  [
    "a file above the repository",
    "resources: [../../../secret.yaml]",
    "Correct the file that the message names",
  ],
  [
    "an exec plugin",
    "generators: [|-\n{apiVersion: x/v1, kind: X, metadata: {name: x, annotations: {config.kubernetes.io/function: 'exec: {path: ./run}'}}}]",
    "Correct the file that the message names",
  ],
])("a kustomization that can't be rendered names its entry: %s", async (_, text, fix) => {
  const found = await compile("", "{}", { ...overlay, "k8s/overlay/kustomization.yaml": text });
  expect(found.ok ? [] : found.problems.map(({ code, fix }) => [code, fix])).toEqual([
    ["render-failed", fix],
  ]);
});

test("a base can be a directory at the root", async () => {
  const files = {
    ...overlay,
    "k8s/overlay/kustomization.yaml": "resources: [../../base]",
    "base/kustomization.yaml": "resources: [more/a.yaml]",
    "base/more/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: root}}",
  };
  expect(await compiled("", "{}", files)).toContain("app/configmap/shop/root ");
});

test("a file that isn't text is an error, because its bytes would change", async () => {
  const files = {
    ...overlay,
    "k8s/overlay/kustomization.yaml": "secretGenerator: [{name: s, files: [s.bin]}]",
    "k8s/overlay/s.bin": "\ufffd",
  };
  expect(await compiled("", "{}", files)).toBe(lines`
    k8s/overlay/s.bin:1:1: A kustomization reads a file that isn't text in UTF-8
      and .valuestream/qvs.yaml:2:30
      why: qvs would change its bytes
      → Write its content in Base64, for example in binaryData of a ConfigMap`);
});

test("an undeclared parameter in a rendered object names the kustomization", async () => {
  const file = "k8s/base/a.yaml";
  const text = overlay[file].replace("replicas", "replcas");
  expect(await compiled("", "{}", { ...overlay, [file]: text })).toBe(lines`
    k8s/overlay/kustomization.yaml:1:1: Parameter "replcas" isn't declared
      → Did you mean "$(params.replicas)"?
        or declare "replcas" under params
        or write $$(params.replcas) for the literal string`);
});

const patched = {
  ".valuestream/qvs.yaml":
    "params: [{name: replicas, type: int}]\ndesignPatterns: [{kustomize: ../overlay}]\n",
  "overlay/kustomization.yaml": `resources: [../base]
namePrefix: x-
images:
  - {name: log, newTag: "9"}
  - name: web
    newTag: "2"
commonLabels:
  team: a
patches:
  - path: replicas.yaml
  - path: ops.json
    target: {kind: Deployment}
configMapGenerator:
  - name: made
    literals: [a=b]
`,
  "overlay/replicas.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  paused: true
  replicas: $(params.replicas)
  template:
    spec:
      containers:
        - name: log
          image: log:1
        - name: web
          tty: true
`,
  "overlay/ops.json": `[
  {"op": "test", "path": "/kind", "value": "Deployment"},
  {"op": "add", "path": "/spec/minReadySeconds", "value": 5}
]
`,
  "base/kustomization.yaml": "resources: [all.yaml]\n",
  "base/all.yaml": `apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web:1
          args:
            - a
`,
};

test("each field of a kustomization has the line that wrote it", async () => {
  const found = await compileIn(new GitFixture(), "", patched, "show");
  const text = resultText(found, ({ compilation: { resources, trace = [] } }) =>
    [
      ...resources.map((each) => `${each.id} ${each.where?.file}:${each.where?.line}`),
      ...trace.flatMap(({ resource, fields }) =>
        fields.map(({ path, origins }) => {
          const places = origins.flatMap(({ at }) => at.map(({ file, line }) => `${file}:${line}`));
          return `${resource.split("/")[1]} ${path.join(".")} ${places.join(" ")}`;
        }),
      ),
    ].join("\n"),
  );
  expect(text).toBe(lines`
    configmap/x-made-4h2mbtbbt6 overlay/kustomization.yaml:14
    deployment/x-web base/all.yaml:5
    service/x-web base/all.yaml:1
    configmap apiVersion overlay/kustomization.yaml:14
    configmap data.a overlay/kustomization.yaml:14
    configmap kind overlay/kustomization.yaml:14
    configmap metadata.labels.team overlay/kustomization.yaml:8
    configmap metadata.name overlay/kustomization.yaml:2
    deployment apiVersion base/all.yaml:5
    deployment kind base/all.yaml:6
    deployment metadata.labels.team overlay/kustomization.yaml:8
    deployment metadata.name overlay/kustomization.yaml:2
    deployment spec.minReadySeconds overlay/ops.json:3
    deployment spec.paused overlay/replicas.yaml:5
    deployment spec.replicas overlay/replicas.yaml:6
    deployment spec.selector.matchLabels.app base/all.yaml:10
    deployment spec.selector.matchLabels.team overlay/kustomization.yaml:8
    deployment spec.template.metadata.labels.app base/all.yaml:12
    deployment spec.template.metadata.labels.team overlay/kustomization.yaml:8
    deployment spec.template.spec.containers.0.image overlay/kustomization.yaml:4
    deployment spec.template.spec.containers.0.name overlay/replicas.yaml:10
    deployment spec.template.spec.containers.1.args.0 base/all.yaml:18
    deployment spec.template.spec.containers.1.image overlay/kustomization.yaml:6
    deployment spec.template.spec.containers.1.name base/all.yaml:15
    deployment spec.template.spec.containers.1.tty overlay/replicas.yaml:13
    service apiVersion base/all.yaml:1
    service kind base/all.yaml:2
    service metadata.labels.team overlay/kustomization.yaml:8
    service metadata.name overlay/kustomization.yaml:2
    service spec.selector.team overlay/kustomization.yaml:8`);
});

test("a deployment doesn't look for the lines of a kustomization", async () => {
  const found = await compileIn(new GitFixture(), "", patched);
  const places = resultText(found, ({ compilation }) =>
    compilation.resources.map(({ where }) => `${where?.file}:${where?.line}`).join("\n"),
  );
  expect(new Set(places.split("\n"))).toEqual(new Set(["overlay/kustomization.yaml:1"]));
});
