/** Whether a command printed what a page shows. `…` stands for anything within a line, and on a line of its own for any lines. */
export function matches(shown: readonly string[], printed: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first.trim() === "…") {
    return Array.from({ length: printed.length + 1 }).some((_, skipped) =>
      matches(rest, printed.slice(skipped)),
    );
  }
  const [line, ...others] = printed;
  return line !== undefined && patternOf(first).test(line) && matches(rest, others);
}

function patternOf(line: string): RegExp {
  const parts = line.trimEnd().split("…").map(literally);
  return new RegExp(`^${parts.join(".*")}\\s*$`, "u");
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
