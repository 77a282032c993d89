import type { MarkdownRenderer } from "vitepress";

type Token = Parameters<
  Parameters<MarkdownRenderer["core"]["ruler"]["push"]>[1]
>[0]["tokens"][number];

/** Characters of code in a cell that don't fit next to other cells on a phone. */
const longCode = 20;

/** The roles that a table keeps when its cells are displayed as blocks. */
const roles: Readonly<Record<string, string>> = {
  table_open: "table",
  thead_open: "rowgroup",
  tbody_open: "rowgroup",
  tr_open: "row",
  th_open: "columnheader",
};

/**
 * Markdown has no table without heads. A head without text becomes a plain cell, so that screen
 * readers announce no empty heading.
 */
export function plainHeads(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("plain-heads", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "th_open" || tokens[index + 1]?.content !== "") continue;
      token.tag = "td";
      const close = tokens[index + 2];
      if (close !== undefined) close.tag = "td";
    }
  });
}

/**
 * Prepares wide tables for phones, where each row is a block and each cell names its column
 * (theme/style.css).
 */
export function stackedTables(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("stacked-tables", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "table_open") continue;
      const end = tokens.findIndex(({ type }, at) => at > index && type === "table_close");
      stack(tokens.slice(index, end));
    }
  });
  // The theme's own rule drops attributes. The keyboard scrolls a table that has the focus.
  markdown.renderer.rules.table_open = (tokens, index, options, _, renderer) => {
    tokens[index]?.attrSet("tabindex", "0");
    return renderer.renderToken(tokens, index, options);
  };
}

function stack(table: readonly Token[]): void {
  const heads = table.filter((_, index) => table[index - 1]?.type === "th_open").map(textOf);
  const cells = table.filter((_, index) => table[index - 1]?.type === "td_open");
  if (heads.length < 3 && !cells.some(hasLongCode)) return;
  table[0]?.attrSet("class", "stacked");
  let column = 0;
  for (const token of table) {
    const role = token.tag === "td" ? "cell" : roles[token.type];
    if (role !== undefined && token.nesting === 1) token.attrSet("role", role);
    if (token.type === "tr_open") column = 0;
    if (token.type !== "td_open") continue;
    const head = heads[column];
    if (head) token.attrSet("data-head", head);
    column += 1;
  }
}

function hasLongCode({ children }: Token): boolean {
  return (children ?? []).some(
    ({ type, content }) => type === "code_inline" && content.length > longCode,
  );
}

function textOf({ children }: Token): string {
  return (children ?? []).map(({ content }) => content).join("");
}
