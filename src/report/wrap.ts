/** How many columns of a terminal a text takes: the signs of East Asian scripts take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += wide.test(sign) ? 2 : 1;
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Lines of at most `width` columns, broken at spaces, between East Asian signs, and within words that are longer than a line. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(pieces) ?? []) {
    const joined = line + piece;
    if (widthOf(joined.trimEnd()) <= width) {
      line = joined;
      continue;
    }
    if (line.trim() !== "") lines.push(line.trimEnd());
    line = piece;
    while (widthOf(line.trimEnd()) > width) {
      const head = headOf(line, width);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line.trim() !== "") lines.push(line.trimEnd());
  return lines;
}

/** A word, or a part of a path, with what is behind it; or one sign that may stand at the end of a line. */
const pieces = new RegExp(
  `${wide.source}\\s*|(?:(?!${wide.source})[^\\s/])+/*\\s*|/+\\s*|\\s+`,
  "gu",
);

function headOf(text: string, width: number): string {
  let head = "";
  for (const sign of text) {
    if (head !== "" && widthOf(head + sign) > width) return head;
    head += sign;
  }
  return head;
}

export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
