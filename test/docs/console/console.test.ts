import { describe, expect, it, test } from "vitest";
import { matches } from "./matches.ts";
import { readPage, writePage } from "./read-page.ts";
import { runPage } from "./run-page.ts";
import type { PageShell } from "./shell.ts";

describe("the output on a page matches the printed output", () => {
  test.for([
    ["", "", true],
    ["a", "a", true],
    ["a", "b", false],
    ["a", "a\nb", false],
    ["a\nb", "a", false],
    ["took … s", "took 3.2 s", true],
    ["took … s", "took 3.2 min", false],
    ["a.c", "abc", false],
    ["…\nb", "a\na\nb", true],
    ["a\n…", "a", true],
    ["a\n…\nc", "a\nb\nd", false],
    ["AGE   NUMBER\n…     1", "AGE    NUMBER\n21s    1", true],
    ["AGE   NUMBER\n…     1", "AGE NUMBER\n21s 1", false],
    ["AGE   NUMBER\n2s    1", "AGE    NUMBER\n21s    1", false],
    ["(x, just now)", "(x, 12 minutes ago)", true],
    ["(x, just now)", "(x, yesterday)", false],
  ] as const)("%j and %j: %j", ([shown, printed, expected]) => {
    const lines = (text: string) => (text === "" ? [] : text.split("\n"));
    expect(matches(lines(shown), lines(printed))).toBe(expected);
  });
});

const page = `# Page

<!-- run: in=examples/shop cluster=yes namespaces=a,b -->

\`\`\`yaml file=a.yaml
a: 1
\`\`\`

\`\`\`console
$ first \\
    --flag
out
$ second

$ third
wrong
\`\`\`
`;

const inList = page.replaceAll(/^(?!#|<!|$)/gm, "   ");

it.each([page, inList])("a page is written as read", (text) => {
  expect(writePage(readPage(text))).toBe(text);
});

it("a fence in a list has the same commands and files", () => {
  const partsOf = (text: string) =>
    readPage(text).parts.flatMap((part) => (part.type === "console" ? part.commands : []));
  expect(partsOf(inList)).toEqual(partsOf(page));
});

it("files are written, commands run in order, and only different output is replaced", async () => {
  const seen: string[] = [];
  const shell: PageShell = {
    write: (path, text) => seen.push(`write ${path}: ${text}`),
    async run(command) {
      seen.push(command);
      if (command === "second") return { code: 0, lines: [] };
      return { code: 0, lines: [command.startsWith("first") ? "out" : "right"] };
    },
    close: async () => void seen.push("close"),
  };
  const played = await runPage(readPage(page), async (setting) => {
    seen.push(JSON.stringify(setting));
    return shell;
  });
  expect(writePage(played)).toBe(page.replace("wrong", "right"));
  expect(seen).toEqual([
    `{"in":"examples/shop","cluster":true,"namespaces":["a","b"]}`,
    "write a.yaml: a: 1\n",
    "first \\\n    --flag",
    "second",
    "third",
    "close",
  ]);
});

it("a command that fails without output is reported", async () => {
  const shell: PageShell = {
    write: () => {},
    run: async () => ({ code: 3, lines: [] }),
    close: async () => {},
  };
  const silent = "<!-- run: -->\n```console\n$ false\n```";
  const played = await runPage(readPage(silent), async () => shell);
  expect(writePage(played)).toBe(silent.replace("$ false", "$ false\n(ended with 3)"));
});

describe("mistakes in a page", () => {
  test.for([
    ["```console\n$ a", "The fence of line 1 never ends"],
    ["```console\na\n```", "Output without a command: a"],
    ["<!-- run: inn=a -->", "run: unknown word inn=a"],
  ] as const)("%j: %s", ([text, message]) => {
    expect(() => readPage(text)).toThrow(message);
  });

  it("a console block without a preparation is rejected", async () => {
    const alone = readPage("```console\n$ a\n```");
    await expect(runPage(alone, () => Promise.reject())).rejects.toThrow("<!-- run: … -->");
  });
});
