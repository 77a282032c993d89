import { PassThrough } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { linePainter, printManifests, printReport } from "../../../../src/cli/output/print.ts";
import { reportFailure } from "../../../../src/cli/output/report-failure.ts";
import { exactLine } from "../../../../src/redaction/terminal.ts";
import { startCompiler } from "../../../support/cue/native.ts";
import { temporaryRepository } from "../../../support/git/temporary-repository.ts";
import { runHere } from "../../../support/qvs/run-here.ts";
import { compile, shopFiles } from "../../../support/shop/shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/**
 * Text that clears the screen, hides text, changes the writing direction, and contains a command
 * for the runner.
 */
const hostile = "\x1b[2Jx\x9b8m\u202ey\r::error::z";
/** The same text in the form of YAML and JSON. */
const written = JSON.stringify(hostile)
  .replaceAll("\x9b", "\\u009b")
  .replaceAll("\u202e", "\\u202e");
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

test("a problem with text from the config sends no commands to the terminal", async () => {
  const repository = temporaryRepository(shopFiles);
  repository.change(".valuestream/qvs.yaml", "params:", `${written}: 1\nparams:`);
  const { code, stderr } = await runHere(repository.directory, compile, compiler);
  expect(code).toBe(1);
  expect(stderr).toMatch(/x.*y/);
  expect(stderr).not.toMatch(control);
});

test("manifests as JSON send no commands to the terminal and keep their meaning", async () => {
  const repository = temporaryRepository(shopFiles);
  repository.change("params.yaml", "version: 1.0.0", `version: ${written}`);
  const args = [...compile, "--format", "json"];
  const { stdout } = await runHere(repository.directory, args, compiler);
  expect(stdout).not.toMatch(control);
  const [container] = JSON.parse(stdout).stages.app.deployment.spec.template.spec.containers;
  expect(container.image).toBe(`registry.example/shop:${hostile}`);
});

test.each([
  ["on a terminal", true, "a: \\u009b8m\n"],
  ["in a pipe", false, "a: \x9b8m\n"],
])("manifests as YAML %s", (_, isTTY, expected) => {
  const stream = Object.assign(new PassThrough(), { isTTY });
  printManifests(stream, "a: \x9b8m\n");
  expect(String(stream.read())).toBe(expected);
});

test("resource ids above the manifests send no commands to the terminal", async () => {
  const repository = temporaryRepository(shopFiles);
  repository.change("adapters/web/main.cue", "app: deployment:", 'app: "web\\u001b[2J\\u009b8m":');
  const { stdout } = await runHere(repository.directory, compile, compiler);
  expect(stdout).toContain("# app/web");
  expect(stdout).not.toMatch(control);
});

test("the stack of a bug sends no commands to the terminal", () => {
  const stream = new PassThrough();
  expect(reportFailure(new Error(hostile), stream)).toBe(70);
  expect(String(stream.read())).not.toMatch(control);
});

test.each([true, false])("a line of a plan has only the colors of qvs, terminal: %s", (isTTY) => {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const line = linePainter(stream)(exactLine(`  + ${hostile}`), "added");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are qvs's own
  expect(line.replaceAll(/\x1b\[(32|39)m/g, "")).toMatch(/^ {2}\+ .*x.*y/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are qvs's own
  expect(line.replaceAll(/\x1b\[(32|39)m/g, "")).not.toMatch(control);
});

test.each([
  { name: "is broken between words on a terminal, with an indent", isTTY: true },
  { name: "stays on one line elsewhere", isTTY: false },
])("a line of a report $name, and program output stays in one piece", ({ isTTY }) => {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 30 });
  printReport(
    stream,
    "What is said:\nPod web-1: Pending\n  scheduler: 0/3 nodes are available\n    | a log line that is long enough\n  To go back to release 7: qvs rollback --deployment shop --to 7",
  );
  expect(String(stream.read())).toBe(
    isTTY
      ? `\
\u001b[1mWhat is said:\u001b[22m
Pod web-1: Pending
  scheduler: 0/3 nodes are
    available
    | a log line that is long enough
  To go back to release 7:
    qvs rollback --deployment shop --to 7
`
      : `\
What is said:
Pod web-1: Pending
  scheduler: 0/3 nodes are available
    | a log line that is long enough
  To go back to release 7: qvs rollback --deployment shop --to 7
`,
  );
});
