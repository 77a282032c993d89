/** Returns a table in GitHub's Markdown. Cells are Markdown of one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").trim();
}

export function code(text: string): string {
  return `\`${text}\``;
}

/**
 * Returns a description as a whole sentence. A literal at its start, such as `auto` or `qvs`, keeps
 * its case.
 */
export function sentence(text: string): string {
  const isWord = /^[a-z]+(?:'[a-z]+)?(?=[ ,;.]|$)/.test(text) && !text.startsWith("qvs ");
  const first = (isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text).trimEnd();
  return /[.:!?…]$/.test(first) ? first : `${first}.`;
}
