/** Formats a duration: `7s`, `1m 07s`, `2h 05m`, with at most two units. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h ${twoDigits(minutes % 60)}m`;
  return minutes > 0 ? `${minutes}m ${twoDigits(seconds % 60)}s` : `${seconds}s`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
