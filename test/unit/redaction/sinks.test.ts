import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/cli/program/shell.ts";
import { writeSummary } from "../../../src/io/github/step-outputs.ts";
import type { PullRequest } from "../../../src/ports/github.ts";
import { codeBlock, escapeText, htmlCode, md, table } from "../../../src/redaction/markdown.ts";
import { joined } from "../../../src/redaction/shown.ts";
import { plainText, terminal } from "../../../src/redaction/terminal.ts";

/**
 * The compiler rejects each of these lines. If it accepts one, `tsc` reports the unused comment
 * above it. Nothing here runs.
 */
function refused(
  text: string,
  { stdout, stderr }: Record<"stdout" | "stderr", Output>,
  pullRequest: PullRequest,
) {
  // @ts-expect-error
  stdout.write(text);
  // @ts-expect-error
  stderr.write(`${plainText(text)}\n`);
  // @ts-expect-error
  stdout.write(escapeText(text));
  // @ts-expect-error
  void pullRequest.createComment(text);
  // @ts-expect-error
  void pullRequest.updateComment(1, `# ${escapeText(text)}`);
  // @ts-expect-error
  void pullRequest.createComment(plainText(text));
  // @ts-expect-error
  writeSummary(text, undefined);
  // @ts-expect-error
  md`# ${text}`;
  // @ts-expect-error
  md`# ${htmlCode(text)}`;
  // @ts-expect-error
  md`# ${escapeText(text).slice(0, 10)}`;
  // @ts-expect-error
  terminal`${escapeText(text)}`;
  // @ts-expect-error
  table([text], []);
  // @ts-expect-error
  joined([escapeText(text)], text);
  // @ts-expect-error
  codeBlock(text, []);
}

void refused;

const files = globSync("src/**/*.ts").filter((file) => !file.startsWith("src/redaction/"));

function linesWith(pattern: RegExp, except: readonly string[] = []): readonly string[] {
  return files
    .filter((file) => !except.includes(file))
    .flatMap((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.filter((line) => pattern.test(line)).map((line) => `${file}: ${line.trim()}`);
    });
}

describe("outside src/redaction", () => {
  test("no code casts text to an encoded type", { tags: "slow" }, () => {
    const target = "(Markdown|Html|TerminalText|AnnotationText|Shown)";
    const claim = new RegExp(
      `\\b(as|is) (unknown as )?(readonly )?${target}\\b|\\bas (never|any)\\b`,
    );
    expect(linesWith(claim)).toEqual([]);
    expect(linesWith(/<(Markdown|Html|TerminalText|AnnotationText)>\s*\w/)).toEqual([]);
    expect(linesWith(/@ts-(ignore|expect-error)/)).toEqual([]);
  });

  test("code writes to the process's streams only through a type for encoded text", {
    tags: "slow",
  }, () => {
    expect(linesWith(/\bconsole\.\w+\(/)).toEqual([]);
    // require-node.ts only prints the version of Node.js, and must run on old versions, which can't
    // load other files.
    const known = ["src/world/open-world.ts", "src/io/terminal/interrupt.ts"];
    expect(linesWith(/process\.(stdout|stderr)/, known)).toEqual([]);
    expect(linesWith(/\bstd(out|err)\.write\(`/)).toEqual([
      expect.stringContaining("src/world/require-node.ts"),
    ]);
    expect(linesWith(/createWriteStream|writeSync\((1|2),|\/dev\/(stdout|stderr|tty)/)).toEqual([]);
  });

  test("only src/io/github prints to the log of a job", () => {
    const imports = linesWith(/from "@actions\/core"/).filter(
      (line) => !line.startsWith("src/io/github/"),
    );
    const names = imports.flatMap((line) => line.match(/\w+(?=[^{}]*\} from)/g) ?? [line]);
    expect([...new Set(names)].sort()).toEqual(["getInput", "setSecret"]);
  });
});
