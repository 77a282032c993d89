const units = [
  { name: "day", seconds: 86_400 },
  { name: "hour", seconds: 3_600 },
  { name: "minute", seconds: 60 },
] as const;

/** `3 days ago`; undefined where either is no time, or the clocks disagree. */
export function ago(since: string, now: string | undefined): string | undefined {
  const seconds =
    now === undefined
      ? Number.NaN
      : (secondsOf(now) ?? Number.NaN) - (secondsOf(since) ?? Number.NaN);
  if (!(seconds >= -60)) return undefined;
  const unit = units.find((each) => seconds >= each.seconds);
  if (unit === undefined) return "just now";
  const count = Math.floor(seconds / unit.seconds);
  return `${count} ${unit.name}${count === 1 ? "" : "s"} ago`;
}

/** Of a time in UTC as the API server writes it. */
function secondsOf(time: string): number | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?Z$/.exec(time);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map(Number);
  return daysTo(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds;
}

/** Days since a first of March long ago, by the calendar of today: a year that begins in March ends with the day that may be missing. */
function daysTo(year: number, month: number, day: number): number {
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + Math.floor((m * 153 + 2) / 5) + day;
}
