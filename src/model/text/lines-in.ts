/** Of a text the lines that say something, without the space around them. */
export function linesIn(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}
