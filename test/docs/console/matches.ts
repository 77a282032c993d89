/**
 * Whether a command printed what a page shows. `…` stands for anything within a line, and on a line of its own for any lines. Where it
 * stands in a column, what is in it decides how wide the column is, so any two spaces or more are as good as those that are shown.
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

/** How long a command before took depends on what else the machine does. */
function atAnyPace(pattern: string): string {
  return pattern.replaceAll("just now", "(?:just now|\\d+ minutes? ago)");
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function withWideGaps(text: string): string {
  return literally(text).replace(/ {2,}/g, " {2,}");
}
