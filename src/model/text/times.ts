const units = [
  { name: "day", seconds: 86_400 },
  { name: "hour", seconds: 3_600 },
  { name: "minute", seconds: 60 },
] as const;

/**
 * Returns the age of a time, such as `3 days ago`.
 * Returns undefined if a time is invalid or `since` is more than a minute after `now`.
 */
export function formatAge(since: string, now: string | undefined): string | undefined {
  const seconds =
    now === undefined
      ? Number.NaN
      : (utcSeconds(now) ?? Number.NaN) - (utcSeconds(since) ?? Number.NaN);
  if (!(seconds >= -60)) return undefined;
  const unit = units.find((each) => seconds >= each.seconds);
  if (unit === undefined) return "just now";
  const count = Math.floor(seconds / unit.seconds);
  return `${count} ${unit.name}${count === 1 ? "" : "s"} ago`;
}

/**
 * Returns the seconds of a UTC time in the format of the API server; undefined for any other
 * format.
 */
function utcSeconds(time: string): number | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?Z$/.exec(time);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map(Number);
  return dayNumber(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds;
}

/**
 * Returns the number of days from a fixed day to a date in the Gregorian calendar.
 * The year starts in March, so that the leap day is its last day.
 */
function dayNumber(year: number, month: number, day: number): number {
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + Math.floor((m * 153 + 2) / 5) + day;
}

/**
 * Returns the seconds between two times in the server's format; negative if the second one is
 * earlier.
 */
export function secondsBetween(earlier: string, later: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / 1000;
}

/**
 * Returns the latest of several times that isn't more than `skewSeconds` after `now`. Undefined if
 * there is none. Invalid times don't count.
 */
export function latestPast(
  times: readonly (string | undefined)[],
  now: string,
  skewSeconds: number,
): string | undefined {
  const past = times.filter(
    (time): time is string => time !== undefined && secondsBetween(now, time) <= skewSeconds,
  );
  return past.toSorted(secondsBetween).at(0);
}

/** Returns the time a number of milliseconds later; undefined for an invalid time. */
export function timeAfter(time: string, milliseconds: number): string | undefined {
  const end = new Date(Date.parse(time) + milliseconds);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}
