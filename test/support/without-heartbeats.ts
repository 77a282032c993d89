/** What a run prints but for what it says every half a minute of what it still does: only a slow machine makes it say so. */
export function withoutHeartbeats(printed: string): string {
  return printed.replaceAll(/^\[[ \dhms]+\] Still .*\n?/gm, "");
}
