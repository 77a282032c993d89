/**
 * Moves an offset behind the last line back to the end of what is written: the parser reports what is missing at the end of a file
 * in a line that no editor shows, and on which GitHub shows no annotation.
 */
export function offsetWithin(text: string, offset: number): number {
  return Math.min(offset, text.trimEnd().length);
}
