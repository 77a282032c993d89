import type { MarkdownRenderer, ShikiTransformer } from "vitepress";
import { commandLines, diffKindOf, fileNameIn } from "./output.ts";

type Root = Parameters<NonNullable<ShikiTransformer["code"]>>[0];
type Line = Extract<Root["children"][number], { type: "element" }>;

/** The class of nodes that the theme's copy button leaves out. */
const notCopied = "vp-copy-ignore";

/** Shows the name of the file above a fence with `file=PATH` or `[PATH]` after its language. */
export function fileNames(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (...args) => {
    const [tokens, index] = args;
    // The theme takes the title out of the token.
    const name = fileNameIn(tokens[index]?.info ?? "");
    const block = fence?.(...args) ?? "";
    if (name === undefined) return block;
    const caption = markdown.utils.escapeHtml(name);
    return `<figure class="file"><figcaption>${caption}</figcaption>${block}</figure>`;
  };
}

/** Copies only the commands of a `console` block: no prompts and no output. */
export const commandsOnly: ShikiTransformer = {
  name: "commands-only",
  code(code) {
    if (this.options.lang !== "console") return;
    const lines = code.children.filter((node): node is Line => node.type === "element");
    const isCommand = commandLines(lines.map(textOf));
    const first = isCommand.indexOf(true);
    code.children = lines.flatMap((line, index) => {
      const start: Root["children"] = index === 0 ? [] : [{ type: "text", value: "\n" }];
      if (isCommand[index] !== true) return [ignored([...start, line])];
      return index === first
        ? [ignored(start), withoutPrompt(line)]
        : [...start, withoutPrompt(line)];
    });
  },
};

/** Colors the lines of diffs in output. */
export const diffColors: ShikiTransformer = {
  name: "diff-colors",
  line(line) {
    if (!["console", "text", "txt"].includes(this.options.lang)) return;
    const kind = diffKindOf(textOf(line));
    if (kind !== undefined) this.addClassToHast(line, kind);
  },
};

function ignored(children: Root["children"]): Line {
  return {
    type: "element",
    tagName: "span",
    properties: { class: notCopied },
    children: children as Line["children"],
  };
}

/** Puts the prompt of a command into a node of its own. */
function withoutPrompt(line: Line): Line {
  const text = textOf(line);
  const [first, ...rest] = line.children;
  if (!text.startsWith("$ ") || first === undefined) return line;
  const prompt = ignored([{ type: "text", value: "$ " }]);
  return { ...line, children: [prompt, ...withoutStart([first, ...rest], 2)] };
}

/** Removes the first characters of the text of nodes. */
function withoutStart(nodes: Line["children"], count: number): Line["children"] {
  const [first, ...rest] = nodes;
  if (first === undefined || count === 0) return nodes;
  const length = textOf(first).length;
  if (length <= count) return withoutStart(rest, count - length);
  if (first.type === "text") return [{ ...first, value: first.value.slice(count) }, ...rest];
  if (first.type !== "element") return nodes;
  return [{ ...first, children: withoutStart(first.children, count) }, ...rest];
}

function textOf(node: Line["children"][number]): string {
  if (node.type === "text") return node.value;
  return node.type === "element" ? node.children.map(textOf).join("") : "";
}
