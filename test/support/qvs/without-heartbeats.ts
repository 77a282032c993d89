/**
 * Removes the progress messages that a run prints every 30 seconds. Only slow machines reach them.
 */
export function withoutHeartbeats(printed: string): string {
  return printed.replaceAll(/^\[[ \dhms]+\] Still .*\n?/gm, "");
}
