import type { MarkdownRenderer } from "vitepress";

type Tokens = Parameters<Parameters<MarkdownRenderer["core"]["ruler"]["push"]>[1]>[0]["tokens"];

/**
 * Makes an entry of each section of generated codes, and puts a filter above them. Markdown shows
 * the severities below the heading.
 */
export function filteredCodes(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("filtered-codes", (state) => {
    const { tokens } = state;
    const first = tokens.findIndex(isStart);
    if (first < 0) return;
    const end = tokens.findIndex(
      (token, index) =>
        index > first && token.type === "html_block" && /^<!-- end /.test(token.content),
    );
    const html = (content: string) => {
      const token = new state.Token("html_block", "", 0);
      token.content = content;
      return token;
    };
    const wrapped = entriesOf(tokens.slice(first + 1, end)).flatMap((entry) => [
      html(`<section class="code-entry" data-severity="${severitiesIn(entry)}">`),
      ...entry,
      html("</section>"),
    ]);
    state.tokens = [
      ...tokens.slice(0, first),
      html("<CodeFilter />"),
      ...wrapped,
      ...tokens.slice(end),
    ];
  });
}

function isStart({ type, content }: Tokens[number]): boolean {
  return type === "html_block" && /^<!-- generated: (?:problems|findings),/.test(content);
}

function entriesOf(tokens: Tokens): readonly Tokens[] {
  const entries: Tokens[] = [];
  for (const token of tokens) {
    if (token.type === "heading_open") entries.push([]);
    entries.at(-1)?.push(token);
  }
  return entries;
}

function severitiesIn(entry: Tokens): string {
  const line = entry.find(({ content }) => content.startsWith("Severity: "))?.content ?? "";
  return line.match(/error|warning|notice|note/g)?.join(" ") ?? "";
}
