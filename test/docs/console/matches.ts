/**
 * Returns true if the output of a command matches the text on a page. `…` matches any text within a
 * line; on its own line, it matches any lines. In a table, the matched text changes the width of
 * its column, so any two spaces or more match.
 */
export function matches(shown: readonly string[], printed: readonly string[]): boolean {
  const hasColumns = shown.some((line) => line.trim() !== "…" && / {2}…|… {2}/.test(line));
  return matchesLines(shown, printed, hasColumns ? withWideGaps : literally);
}

type Literally = (text: string) => string;

function matchesLines(
  shown: readonly string[],
  printed: readonly string[],
  pattern: Literally,
): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first.trim() === "…") {
    return Array.from({ length: printed.length + 1 }).some((_, skipped) =>
      matchesLines(rest, printed.slice(skipped), pattern),
    );
  }
  const [line, ...others] = printed;
  return (
    line !== undefined &&
    patternOf(first, pattern).test(line) &&
    matchesLines(rest, others, pattern)
  );
}

function patternOf(line: string, pattern: Literally): RegExp {
  const parts = line.trimEnd().split("…").map(pattern).map(atAnyPace);
  return new RegExp(`^${parts.join(".*")}\\s*$`, "u");
}

/**
 * Allows another time since an earlier command, and another duration of a rollout, because they
 * depend on the speed of the machine.
 */
function atAnyPace(pattern: string): string {
  return pattern
    .replaceAll("just now", "(?:just now|\\d+ minutes? ago)")
    .replaceAll(/(?<=(?:ready|times|peak), about )\d+ (?:s|min)\b/g, "\\d+ (?:s|min)");
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function withWideGaps(text: string): string {
  return literally(text).replace(/ {2,}/g, " {2,}");
}
