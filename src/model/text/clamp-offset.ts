/**
 * Moves an offset after the last line back to the end of the content.
 * If a token is missing at the end of a file, the parser reports it in a line that no editor shows.
 * GitHub shows no annotation on such a line.
 */
export function clampOffset(text: string, offset: number): number {
  return Math.min(offset, text.trimEnd().length);
}
