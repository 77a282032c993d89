import { afterAll, describe, expect, test } from "vitest";
import { compileDeployment } from "../../../src/sources/compile-deployment.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";
import { lines, resultText } from "../config/result-text.ts";

const openers = { commit: useWorlds("commit"), "work tree": useWorlds("work tree") };
const compiler = startCompiler();
afterAll(() => compiler.close());

const object = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

const files = {
  ".valuestream/kustomize.yaml": "designPatterns: [{kustomize: ../overlay}]\n",
  ".valuestream/adapter.yaml":
    "modules: [{name: a.example, local: {path: ../adapters}}]\ndesignPatterns: [{pattern: a.example/web}]\n",
  "overlay/kustomization.yaml": "resources: [../more]\n",
  "more/kustomization.yaml": "resources: [../shared/base]\n",
  "adapters/cue.mod/module.cue": 'module: "a.example"\nlanguage: version: "v0.12.0"\n',
  "adapters/web/web.cue":
    'package web\n\nimport "a.example/lib"\n\nDesignPattern: resources: app: a: {apiVersion: "v1", kind: "ConfigMap", metadata: name: lib.name}\n',
  "adapters/lib/lib.cue": 'package lib\n\nname: "a"\n',
  "other/lib/lib.cue": 'package lib\n\nname: "b"\n',
};

/** Compiles the files after a change. */
async function compile(
  read: keyof typeof openers,
  config: string,
  change: (git: GitFixture) => void,
): Promise<string> {
  const git = new GitFixture();
  for (const [path, text] of Object.entries(files)) git.write(path, text);
  change(git);
  git.commit();
  const { source } = await openers[read](git.directory);
  const shop = { name: "shop", config: `.valuestream/${config}.yaml`, params: [], dependsOn: [] };
  const compiled = await compileDeployment(
    source,
    { ...shop, namespace: "shop", environment: undefined, context: undefined },
    [],
    "show",
  );
  return resultText(compiled, () => "compiled");
}

function addSubmodule(git: GitFixture, path: string): void {
  const inner = new GitFixture();
  inner.commit({ "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": object("a") });
  const allowed = ["-c", "protocol.file.allow=always"];
  git.git(...allowed, "submodule", "--quiet", "add", inner.directory, path);
}

describe.each(["commit", "work tree"] as const)("in a %s", (read) => {
  test("a submodule that a base reads is an error", async () => {
    const found = await compile(read, "kustomize", (git) => addSubmodule(git, "shared"));
    expect(found.replace(/kustomize: .*/, "kustomize: …")).toBe(lines`
      .valuestream/kustomize.yaml:1:30: "shared" is a Git submodule
        kustomize: …
        why: A commit doesn't contain the files of submodules, so qvs never reads them
        → Copy the files into this repository
          or move the submodule to a directory that qvs doesn't read
          or if it contains adapters, name its repository and a revision under modules`);
  });

  test("a submodule that no base reads isn't an error of another mistake", async () => {
    const found = await compile(read, "kustomize", (git) => addSubmodule(git, "overlay/unused"));
    expect(found).toContain("can't be rendered");
    expect(found).not.toContain("submodule");
  });

  test("a CUE file that is a broken link is an error", async () => {
    const found = await compile(read, "adapter", (git) => git.link("adapters/lib/b.cue", "gone"));
    expect(found).toBe(lines`
      .valuestream/adapter.yaml:1:18: Link "adapters/lib/b.cue" leads to a file that doesn't exist
        target: gone
        → Correct the target of the link
          or remove the link
          or commit its target: the Action reads only committed files`);
  });

  test("a CUE file that CUE ignores can be a broken link", async () => {
    const found = await compile(read, "adapter", (git) => git.link("adapters/lib/_b.cue", "gone"));
    expect(found).toBe("compiled");
  });

  test.each([
    ["a broken link", "gone", 'Link "adapters/lib" leads to a file that doesn\'t exist'],
    ["a link out of the module", "../other/lib", '"adapters/lib" is a link to a directory'],
  ])("a package that is %s is an error", async (_, target, expected) => {
    const found = await compile(read, "adapter", (git) => {
      git.git("add", "--all");
      git.git("rm", "-r", "--quiet", "--force", "adapters/lib");
      git.link("adapters/lib", target);
    });
    expect(found).toContain(`.valuestream/adapter.yaml:1:18: ${expected}`);
    expect(found).toContain('import "a.example/lib" isn\'t in any module');
  });

  test("a package that is a link within the module is read", async () => {
    const found = await compile(read, "adapter", (git) => {
      git.git("add", "--all");
      git.git("mv", "adapters/lib", "adapters/inner");
      git.link("adapters/lib", "inner");
    });
    expect(found).toBe("compiled");
  });
});

describe("a file that Git LFS tracks", () => {
  /** Returns the notices of the command for a file whose content is in the working tree. */
  async function notices(attributes: Readonly<Record<string, string>>): Promise<string> {
    const git = new GitFixture();
    git.commit({
      ".valuestream/qvs.yaml": "designPatterns: [{manifests: ../k8s}]\n",
      "k8s/a.yaml": object("a"),
    });
    for (const [path, text] of Object.entries(attributes)) git.write(path, text);
    const run = await runHere(git.directory, ["compile"], compiler);
    expect(run.code).toBe(0);
    return run.stderr;
  }

  const tracked = lines`
    warning[tracked-by-lfs]: Git LFS tracks "k8s/a.yaml"
      --> k8s/a.yaml:1:1
      why: qvs reads the content here. A commit has only a pointer, so the Action reports an error
      help: Remove the pattern with \`filter=lfs\` that matches the file from .gitattributes, and commit the content`;

  test.each([
    ["in the root", ".gitattributes", "/k8s/*.yaml filter=lfs diff=lfs merge=lfs -text\n"],
    ["in the directory", "k8s/.gitattributes", "a.yaml filter=lfs\n"],
    ["in the clone", ".git/info/attributes", "/k8s/** filter=lfs\n"],
    ["by a macro", ".gitattributes", "[attr]large filter=lfs\nk8s/*.yaml large\n"],
  ])("is shown in a notice, with an attribute %s", async (_, path, text) => {
    expect((await notices({ [path]: text })).trimEnd()).toBe(tracked);
  });

  test.each([
    ["another file", { ".gitattributes": "*.png filter=lfs\n" }],
    ["a file with an exception", { ".gitattributes": "k8s/* filter=lfs\nk8s/*.yaml !filter\n" }],
  ])("isn't %s", async (_, attributes) => {
    expect(await notices(attributes)).toBe("");
  });
});

describe("--crds", () => {
  const definition = (name: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${name}s.a.example}
spec:
  group: a.example
  scope: Namespaced
  names: {kind: ${name.toUpperCase()}, plural: ${name}s, singular: ${name}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`;

  /** Checks an object with an unknown field against the definitions of a directory. */
  async function check(folder: string, links: Readonly<Record<string, string>>): Promise<string> {
    const git = new GitFixture();
    git.commit({
      ".valuestream/qvs.yaml": "designPatterns: [{manifests: ../k8s}]\n",
      "k8s/b.yaml": "apiVersion: a.example/v1\nkind: B\nmetadata: {name: b}\nspec: {sizes: 1}\n",
      "crds/a.yaml": definition("a"),
      "vendor/crds/b.yaml": definition("b"),
    });
    for (const [path, target] of Object.entries(links)) git.link(path, target);
    const run = await runHere(git.directory, ["compile", "--check", "--crds", folder], compiler);
    return `${run.code}\n${run.stdout}${run.stderr}`;
  }

  test("a linked directory below the directory is an error", async () => {
    expect(await check("crds", { "crds/vendor": "../vendor/crds" })).toBe(`1
error[file-not-readable]: "crds/vendor" is a link to a directory
  flag: --crds crds
  why: qvs follows links to files only
  help: Replace the link with the directory
  help: or remove the link, and add --crds vendor/crds
`);
  });

  test("a broken link below the directory names the flag", async () => {
    expect(await check("crds", { "crds/b.yaml": "gone.yaml" })).toContain("flag:   --crds crds\n");
  });

  test("the directory itself can be a link", async () => {
    expect(await check("linked", { linked: "vendor/crds" })).toContain("spec.sizes");
  });
});
