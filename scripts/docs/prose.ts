/** Columns of a page's source. */
const width = 100;

/** Wraps a paragraph, and keeps code in one line. Further lines begin with `indent`. */
export function wrap(text: string, indent = ""): string {
  const words = text.match(/(?:`[^`]*`|\S)+/g) ?? [];
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width || line.trim() === "") line = longer;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join("\n");
}
