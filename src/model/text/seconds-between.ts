/**
 * Returns the seconds between two times in the server's format; negative if the second one is
 * earlier.
 */
export function secondsBetween(earlier: string, later: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / 1000;
}
