/** Between two times as the server writes them; negative where the second one is earlier. */
export function secondsBetween(earlier: string, later: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / 1000;
}
