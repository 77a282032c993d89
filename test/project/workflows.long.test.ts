import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildTools } from "../support/cluster/build.ts";
import { installPythonTool } from "../support/cluster/python-tool.ts";

/** Checks the workflows that this project runs, and those that people copy, with two linters. */
const root = join(import.meta.dirname, "../..");
const files = [".github/workflows", "workflows"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

const actions = ["action.yml", "run/login/action.yml"];

interface Answer {
  readonly code: number;
  readonly output: string;
}

function run(program: string, args: readonly string[], cwd = root): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, output: stdout + stderr });
    });
  });
}

/**
 * Runs zizmor offline, so that its result is the same everywhere, and without a configuration file,
 * so that each exception is next to its code.
 */
async function zizmor(paths: readonly string[], cwd?: string): Promise<Answer> {
  const settings = ["--offline", "--no-config", "--persona=pedantic", "--no-progress"];
  return run(await installPythonTool("zizmor"), [...settings, ...paths], cwd);
}

/** Runs actionlint without shellcheck, which not every machine has. */
async function actionlint(paths: readonly string[], cwd?: string): Promise<Answer> {
  const { path } = await buildTools("actionlint");
  return run(path("actionlint"), ["-shellcheck=", "-pyflakes=", ...paths], cwd);
}

test("zizmor reports nothing in pedantic mode", async () => {
  const { code, output } = await zizmor([...files, ...actions]);
  expect(code, output).toBe(0);
  for (const file of files) expect(output).toContain(`completed ${file}`);
});

test("actionlint reports nothing", async () => {
  const { code, output } = await actionlint(files);
  expect(code, output).toBe(0);
});

/** actionlint knows only the older form of a reference to the same repository. */
test("actionlint finds no wrong input of the action or of a called workflow", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workflows-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of [".github", "run", "dist/index.js"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, ".git"));
  for (const file of reusable)
    writeFileSync(join(folder, file), read(file).replaceAll("uses: $/", "uses: ./"));
  expect(await actionlint(reusable, folder)).toEqual({ code: 0, output: "" });
  const plan = ".github/workflows/plan.yml";
  const wrong = read(plan).replaceAll("uses: $/", "uses: ./").replace("mode: diff", "mood: diff");
  writeFileSync(join(folder, plan), wrong);
  expect((await actionlint([plan], folder)).output).toContain('input "mood" is not defined');
});

test("both linters detect faults", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workflows-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".github/workflows"), { recursive: true });
  const file = ".github/workflows/careless.yml";
  writeFileSync(join(folder, file), careless);
  const [pedantic, lint] = await Promise.all([zizmor([file], folder), actionlint([file], folder)]);
  expect(pedantic.code).not.toBe(0);
  for (const audit of ["dangerous-triggers", "unpinned-uses", "template-injection"])
    expect(pedantic.output).toContain(audit);
  expect(lint.code).not.toBe(0);
  expect(lint.output).toContain("potentially untrusted");
});

const careless = `
on: pull_request_target
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo \${{ github.event.pull_request.title }}
`;

test("every suppressed warning has a reason, and no other place suppresses any", () => {
  const comments = [...files, ...actions].flatMap(
    (file) => readFileSync(join(root, file), "utf8").match(/#.*\b(?:zizmor|actionlint)\b.*/g) ?? [],
  );
  expect(comments.length).toBeGreaterThan(0);
  for (const comment of comments)
    expect(comment).toMatch(/^# zizmor: ignore\[[a-z,-]+\] (?:\S+ ){4,}/);
  const settings = readFileSync(join(root, ".github/actionlint.yaml"), "utf8").split("\n");
  const ignored = settings.flatMap((line, index) => (/^\s*- /.test(line) ? [index] : []));
  expect(ignored).toHaveLength(3);
  for (const index of ignored) expect(settings[index - 1]).toMatch(/^\s*# (?:\S+ ){4,}/);
  for (const name of ["zizmor.yml", "zizmor.yaml", ".github/zizmor.yml", ".github/zizmor.yaml"])
    expect(existsSync(join(root, name))).toBe(false);
});

const own = files.filter((name) => name.startsWith(".github/"));
const reusable = own.filter((file) => read(file).includes("workflow_call:"));

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

test("workflows pin every action by commit, except in examples for users", () => {
  for (const file of own) {
    const used = [...read(file).matchAll(/^\s*(?:- )?uses: (\S+)/gm)].map(([, it]) => it);
    expect(used.length).toBeGreaterThan(0);
    for (const each of used)
      expect(each).toMatch(
        /@[0-9a-f]{40}$|^\$\/run(?:\/login)?$|^\$\/\.github\/workflows\/(?:deploy-levels?|plan-environments)\.yml$/,
      );
  }
});

test("reusable workflows need no token for the repository of the action", () => {
  expect(reusable.length).toBeGreaterThan(0);
  for (const file of reusable) {
    expect(read(file)).not.toMatch(/^\s*repository:|job\.workflow_/m);
    expect(read(file)).toMatch(/^\s*uses: \$\/(?:run|\.github\/workflows\/\S+)(?: .*)?$/m);
  }
});
