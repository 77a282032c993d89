const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Converts `90s`, `10m` or `1.5h` to milliseconds. Undefined for any other text, and for 0. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * unitLength(unit);
  return milliseconds > 0 ? milliseconds : undefined;
}

/**
 * Returns a duration that the user probably meant: `20m` for `20 min`, `90m` for `1h30m`, and `20m`
 * for `PT20M`. Undefined if the text doesn't resemble one, such as a number without a unit.
 */
export function suggestDuration(text: string): string | undefined {
  const words = text.trim().toLowerCase().replace(/^pt/, "");
  if (!/^(?:\d{1,6}(?:\.\d+)?\s*(?:d|h|m|s)[a-z]*\s*)+$/.test(words)) return undefined;
  const parts = Array.from(
    words.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)\s*([dhms])/g),
    ([, amount, unit]) =>
      unit === "d" ? Number(amount) * 24 * unitMs.h : Number(amount) * unitLength(unit),
  );
  return formatDuration(parts.reduce((sum, part) => sum + part, 0));
}

/** Returns `20m`, `90s` or `2h`: the largest unit that needs no fraction. */
export function formatDuration(milliseconds: number): string | undefined {
  const unit = (["h", "m", "s"] as const).find((each) => milliseconds % unitMs[each] === 0);
  return unit === undefined || milliseconds <= 0
    ? undefined
    : `${milliseconds / unitMs[unit]}${unit}`;
}

function unitLength(unit: string | undefined): number {
  return unit === "s" || unit === "m" || unit === "h" ? unitMs[unit] : Number.NaN;
}

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
