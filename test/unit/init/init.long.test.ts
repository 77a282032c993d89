import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { startCompiler } from "../../support/cue/native.ts";
import { GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { runHere } from "../../support/qvs/run-here.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

function repository(files: Readonly<Record<string, string>> = {}) {
  const git = new GitFixture();
  for (const [path, text] of Object.entries(files)) git.write(path, text);
  return {
    directory: git.directory,
    qvs: (...args: readonly string[]) => runHere(git.directory, args, compiler),
    files: () =>
      readdirSync(git.directory, { recursive: true, encoding: "utf8" })
        .filter((path) => !path.startsWith(".git/") && /\.(ya?ml|cue)$/.test(path))
        .sort(),
  };
}

const first = [
  ".github/workflows/comment.yml",
  ".github/workflows/deploy.yml",
  ".github/workflows/plan.yml",
  ".github/workflows/rollback.yml",
  ".valuestream/deployments.yaml",
  ".valuestream/params/production.yaml",
  ".valuestream/params/staging.yaml",
  ".valuestream/qvs.yaml",
  "adapters/app/app.cue",
  "adapters/cue.mod/module.cue",
];

test("a new repository compiles, for both environments", async () => {
  const { qvs, files } = repository();
  const { code, stderr } = await qvs("init", "--name", "shop");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(files()).toEqual(first);
  const { stdout } = await qvs("compile", "-d", "shop-production");
  expect(stdout).toContain("namespace: shop\n");
  expect(await qvs("compile", "--all", "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("the output fits a terminal of 80 columns, and its commands can be copied", async () => {
  const { directory } = repository();
  const args = ["init", "--yes", "--name", "payments"];
  const { stdout } = await runHere(directory, args, compiler, {}, 80);
  const lines = stripVTControlCharacters(stdout).split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines).toContain("  qvs rbac -d payments-staging      # prints roles for kubectl apply");
});

test.each<[string, readonly (readonly string[])[], string]>([
  ["main", [], "branches: [main]"],
  ["the only branch", [["branch", "-m", "trunk"]], "branches: [trunk]"],
  [
    "master, on a branch",
    [
      ["branch", "-m", "master"],
      ["checkout", "-qb", "x"],
    ],
    "[master]",
  ],
  [
    "the branch of origin",
    [
      ["update-ref", "refs/remotes/origin/release/2", "HEAD"],
      ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/2"],
    ],
    "branches: [release/2]",
  ],
  [
    "a branch with an unusual name",
    [["branch", "-m", 'a+b,"c"#']],
    String.raw`branches: ["a\\+b,\"c\"#"]`,
  ],
])("deploy.yml deploys the default branch: %s", async (_, prepare, expected) => {
  const git = new GitFixture();
  git.commit({ "README.md": "The shop." });
  for (const args of prepare) git.git(...args);
  await runHere(git.directory, ["init", "--name", "shop"], compiler);
  const read = (name: string) =>
    readFileSync(join(git.directory, ".github/workflows", name), "utf8");
  expect(read("deploy.yml")).toContain(expected);
  expect(read("comment.yml")).toMatch(
    /^# For pull requests from forks: their own runs aren't allowed/,
  );
});

test("init overwrites no file and writes nothing next to existing files", async () => {
  const { qvs, files } = repository({
    ".valuestream/qvs.yaml": "mine",
    "adapters/app/app.cue": "mine",
  });
  expect(await qvs("init")).toEqual({
    code: 1,
    stdout: "",
    stderr: `error[output-not-writable]: 2 files already exist
  files: .valuestream/qvs.yaml, adapters/app/app.cue
  why: qvs init doesn't overwrite files
  help: Move the existing files to another directory
  help: or add the missing parts manually: qvs init is for repositories without a config

Nothing was changed.
`,
  });
  expect(files()).toEqual([".valuestream/qvs.yaml", "adapters/app/app.cue"]);
});

test.each([
  [["--name", "My Shop"], '"My Shop" isn\'t a valid value of --name'],
  [["--port", "0"], '"0" isn\'t a valid value of --port'],
  [["--image", "a b"], '"a b" isn\'t a valid value of --image'],
  [["--from", "k8s"], '"k8s" isn\'t an existing file or an object of a known kind'],
  [["--from", "deplyment/web"], 'Did you mean "deployment/web"?'],
])("init %j is rejected", async (args, expected) => {
  const { qvs, files } = repository();
  const { code, stderr } = await qvs("init", ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(expected);
  expect(files()).toEqual([]);
});

const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hunter2}\n";
const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n";

test("a Secret is rejected or omitted, and its value is written nowhere", async () => {
  const { qvs, directory, files } = repository({ "k8s/a.yaml": `${secret}---\n${configMap}` });
  const refused = await qvs("init", "--from", "k8s", "--name", "shop");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Secret s contains values\n  --> k8s/a.yaml:1:1");
  expect(files()).toEqual(["k8s/a.yaml"]);
  const { code, stderr } = await qvs(
    "init",
    "--from",
    "k8s",
    "--name",
    "shop",
    "--without-secrets",
  );
  expect(code).toBe(0);
  expect(stderr).toBe("Secret s was omitted: it stays in the cluster, and qvs doesn't manage it\n");
  for (const path of files().filter((each) => each !== "k8s/a.yaml"))
    expect(readFileSync(join(directory, path), "utf8"), path).not.toContain("hunter2");
});

test.each([
  ["a kind in lower case", "kind: Secret", "kind: secret"],
  ["a kind in the plural", "kind: Secret", "kind: Secrets"],
  ["a version with a group", "apiVersion: v1", "apiVersion: core/v1"],
  ["misspelled data", "stringData", "stringdata"],
])("a Secret with %s is rejected, and its value is written nowhere", async (_, right, wrong) => {
  const misspelt = secret.replace(right, wrong);
  const { qvs, files, directory } = repository({ "k8s/a.yaml": `${misspelt}---\n${configMap}` });
  const refused = await qvs("init", "--from", "k8s", "--name", "shop");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("contains values");
  const { code } = await qvs("init", "--from", "k8s", "--name", "shop", "--without-secrets");
  expect(code).toBe(0);
  for (const file of files().filter((each) => each !== "k8s/a.yaml"))
    expect(readFileSync(join(directory, file), "utf8")).not.toContain("hunter2");
});

test("a Secret without values isn't reported as containing any", async () => {
  const empty = secret.replace("stringData: {a: hunter2}", "type: Opaque");
  const { qvs } = repository({ "k8s/a.yaml": `${empty}---\n${configMap}` });
  const { stderr } = await qvs("init", "--from", "k8s", "--name", "shop");
  expect(stderr).toContain("Secret s contains no values here");
  expect(stderr).not.toContain("contains values");
});

const outside = mkdtempSync(join(tmpdir(), "qvs-"));
writeFileSync(join(outside, "mine.yaml"), configMap.replace("a: b", "a: private"));
test.each<[string, (folder: string) => void, string]>([
  [
    "a link to a file outside",
    (folder) => symlinkSync(join(outside, "mine.yaml"), join(folder, "a.yaml")),
    '"k8s/a.yaml" is a link to a file outside the directory',
  ],
  [
    "a link to a directory outside",
    (folder) => symlinkSync(outside, join(folder, "a")),
    '"k8s/a" is a link to a directory',
  ],
  [
    "circular links",
    (folder) => {
      for (const name of ["a", "b", "c"]) symlinkSync(".", join(folder, name));
    },
    '"k8s/a" is a link to a directory',
  ],
  [
    "a link to nothing",
    (folder) => symlinkSync("nowhere", join(folder, "a.yaml")),
    '"k8s/a.yaml" can\'t be read',
  ],
  [
    "a device",
    (folder) => symlinkSync("/dev/zero", join(folder, "a.yaml")),
    '"k8s/a.yaml" is a link to a file outside the directory',
  ],
  [
    "too many files",
    (folder) => {
      writeFileSync(join(folder, "a.yaml"), "");
      truncateSync(join(folder, "a.yaml"), 3 * 1024 ** 3);
    },
    "The manifests exceed 16 MiB in total",
  ],
])("a directory with %s is rejected", async (_, put, expected) => {
  const { qvs, directory } = repository({ "k8s/c.yaml": configMap });
  put(join(directory, "k8s"));
  const { code, stderr } = await qvs("init", "--from", "k8s", "--name", "shop");
  expect(stderr.split("\n")[0]).toBe(`error[invalid-input]: ${expected}`);
  expect({ code, isWritten: existsSync(join(directory, "adapters")) }).toEqual({
    code: 1,
    isWritten: false,
  });
});

test("links within the repository are followed", async () => {
  const { qvs, directory } = repository({ "base/c.yaml": configMap, "k8s/readme.txt": "" });
  symlinkSync("../base/c.yaml", join(directory, "k8s/c.yaml"));
  expect((await qvs("init", "--from", "k8s", "--name", "shop")).code).toBe(0);
});

test.each([
  [".valuestream", "adapters/app/app.cue"],
  ["adapters", ".valuestream/qvs.yaml"],
  [".github", ".valuestream/qvs.yaml"],
])("nothing is written if %s leads out of the repository", async (folder, other) => {
  const { qvs, directory } = repository();
  const elsewhere = mkdtempSync(join(tmpdir(), "qvs-"));
  symlinkSync(elsewhere, join(directory, folder));
  const { code, stderr } = await qvs("init", "--name", "shop");
  expect(stderr).toContain(`${folder}" is a symbolic link`);
  expect({ code, written: readdirSync(elsewhere) }).toEqual({ code: 1, written: [] });
  expect(existsSync(join(directory, other))).toBe(false);
});

/** Strings and field names that CUE could misinterpret. */
const odd = {
  apiVersion: "example.org/v1",
  kind: "Odd",
  metadata: { name: "odd", labels: { "a.b/c": "x", for: "y" } },
  spec: {
    ...{
      parameters: { image: "x" },
      _hidden: 1,
      "#definition": 2,
      'quote"d': 3,
      "with space": 4,
      if: 5,
    },
    ...{
      empty: {},
      none: [],
      off: false,
      zero: 0,
      negative: -1.5,
      text: "",
      big: 9007199254740991,
    },
    interpolation: "\\(name) $(POD) \\n",
    lines: 'a\n\n\tb  \n"""\n\\(x)\n',
    noEnd: "a\nb",
    begin: "\n  a\n",
    controls: "\u0007 \r\n \u2028 \u200b ü 🚀",
    lists: [[1, [2]], [{ a: { b: [{}] } }], ["long ".repeat(30), "x"]],
    single: { a: { b: { c: { d: "e" } } } },
  },
};

test("the manifests compile to exactly the objects that init read", async () => {
  const objects = [
    odd,
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        replicas: 0,
        template: {
          spec: {
            containers: [
              { name: "a", image: "a:1" },
              { name: "b", image: "b@sha256:1" },
            ],
          },
        },
      },
    },
  ];
  const { qvs, directory } = repository({
    "k8s.yaml": objects.map((each) => JSON.stringify(each)).join("\n---\n"),
  });
  expect((await qvs("init", "--from", "k8s.yaml", "--name", "shop")).code).toBe(0);
  const { stdout, stderr } = await qvs("compile");
  expect(stderr).toBe("");
  const compiled = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(new Set(compiled)).toEqual(new Set(objects));
  expect(existsSync(join(directory, "adapters/app/app.cue"))).toBe(true);
});

test("-C is equivalent to starting in that directory", async () => {
  const { qvs, directory } = repository({ "k8s/a.yaml": configMap });
  await qvs("init", "--from", "k8s", "--name", "shop");
  writeFileSync(join(directory, "k8s/params.yaml"), "{}\n");
  const there = await qvs("-C", "adapters", "-C", "../k8s", "compile", "-p", "params.yaml");
  expect(there.stderr).toBe("");
  expect(there.stdout).toContain("kind: ConfigMap");
  expect((await qvs("-C", "nowhere", "compile")).stderr).toBe(
    "error: can't run in 'nowhere': it doesn't exist\n  help: qvs --help shows the commands\n",
  );
});

test("--keep deploys files as they are", async () => {
  const { qvs, files, directory } = repository({
    "k8s/a.yaml": configMap,
    "other.yaml": configMap.replace("name: ", "name: other-"),
  });
  const args = ["--from", "k8s", "--from", "other.yaml", "--keep", "--name", "shop"];
  const { code, stdout, stderr } = await qvs("init", ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("  /k8s @your-org/your-team\n  /other.yaml @your-org/your-team\n");
  expect(files().filter((path) => path.startsWith("adapters/"))).toEqual([]);
  const config = readFileSync(join(directory, ".valuestream/qvs.yaml"), "utf8");
  expect(config.slice(config.indexOf("designPatterns:"))).toBe(
    "designPatterns:\n  - manifests: ../k8s\n  - manifests: ../other.yaml\n",
  );
  const compiled = await qvs("compile");
  expect(compiled.stderr).toBe("");
  expect(parseAllDocuments(compiled.stdout)).toHaveLength(2);
});

test("--keep needs files of the repository", async () => {
  const outside = join(temporaryDirectory(), "a.yaml");
  writeFileSync(outside, configMap);
  const { qvs } = repository();
  const { code, stderr } = await qvs("init", "--from", outside, "--keep", "--name", "shop");
  expect(code).toBe(1);
  expect(stderr).toContain("--keep needs files or directories of the repository");
});

test("--keep names Secrets, which everyone with access to the repository can read", async () => {
  const secret = "{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {a: b}}";
  const { qvs } = repository({ "k8s/a.yaml": secret });
  const { code, stderr } = await qvs("init", "--from", "k8s", "--keep", "--name", "shop");
  expect(code).toBe(0);
  expect(stderr).toBe(
    "Secret key might contain a secret in plain text: everyone with access to the repository can read it\n",
  );
});

test("--keep renders a kustomization", async () => {
  const { qvs, directory } = repository({
    "k8s/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n",
    "k8s/a.yaml": configMap,
  });
  const { code, stderr } = await qvs("init", "--from", "k8s", "--keep", "--name", "shop");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const config = readFileSync(join(directory, ".valuestream/qvs.yaml"), "utf8");
  expect(config.slice(config.indexOf("designPatterns:"))).toBe(
    "designPatterns:\n  - kustomize: ../k8s\n",
  );
  expect((await qvs("compile")).stdout).toContain("name: x-");
});

test.each([
  ["a directory", "charts/web"],
  ["a packed chart", "web-1.0.0.tgz"],
])("--keep renders a chart: %s", async (_, from) => {
  const { qvs, directory } = repository({
    "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "charts/web/values.yaml": "mode: fast\n",
    "charts/web/templates/a.yaml": configMap.replace("name: ", "name: {{ .Release.Name }}-"),
  });
  execFileSync("tar", ["-czf", "web-1.0.0.tgz", "-C", "charts", "web"], { cwd: directory });
  const { code, stderr } = await qvs("init", "--from", from, "--keep", "--name", "shop");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const config = readFileSync(join(directory, ".valuestream/qvs.yaml"), "utf8");
  expect(config.slice(config.indexOf("designPatterns:"))).toBe(
    `designPatterns:\n  - helm:\n      chart: ../${from}\n      release: shop\n`,
  );
  expect((await qvs("compile")).stdout).toContain("name: shop-");
});
