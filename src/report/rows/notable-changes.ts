import type { FieldAuthor } from "../../model/attribution.ts";
import { plural } from "../text/counts.ts";
import type { NotableField } from "./notable-field.ts";
import type { Row, RowField } from "./row.ts";

/** Fields that a reviewer asks for first, where they change in the same way. */
export interface NotableChange extends NotableField {
  /** The objects that change so. */
  readonly names: readonly string[];
  /** It undoes what somebody has changed in the cluster. */
  readonly isDrift: boolean;
  /** Who has changed it there. */
  readonly by?: FieldAuthor | undefined;
}

/** How many replicas there are and which images run, where that changes: the same of several objects is told once. */
export function notableChanges(rows: readonly Row[]): readonly NotableChange[] {
  const found = rows
    .filter(({ action }) => ["update", "replace", "rename"].includes(action))
    .flatMap((row) => row.fields.flatMap((field) => notableIn(field, row.name)));
  const groups = Map.groupBy(found, ({ text, means, isDrift, by }) =>
    JSON.stringify([isDrift, by, text, means]),
  );
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    const names = [...new Set(alike.flatMap((each) => each.names))];
    return first === undefined ? [] : [{ ...first, names }];
  });
}

function notableIn(
  { notable, source, by: author }: RowField,
  name: string,
): readonly NotableChange[] {
  if (notable === undefined) return [];
  const isDrift = source === "drift";
  const whose = { isDrift, ...(isDrift && author !== undefined ? { by: author } : {}) };
  return [{ ...notable, names: [name], ...whose }];
}

/** `kubectl-edit, 3 days ago`; without a time of now, `kubectl-edit, since 2026-11-19T08:00:00Z`. */
export function authorInWords({ manager, since }: FieldAuthor, now: string | undefined): string {
  if (since === undefined) return manager;
  return `${manager}, ${ago(since, now) ?? `since ${since}`}`;
}

const units = [
  { name: "day", seconds: 86_400 },
  { name: "hour", seconds: 3_600 },
  { name: "minute", seconds: 60 },
] as const;

/** undefined where either is no time, or the clocks disagree. */
export function ago(since: string, now: string | undefined): string | undefined {
  const seconds =
    now === undefined
      ? Number.NaN
      : (secondsOf(now) ?? Number.NaN) - (secondsOf(since) ?? Number.NaN);
  if (!(seconds >= -60)) return undefined;
  const unit = units.find((each) => seconds >= each.seconds);
  if (unit === undefined) return "just now";
  return `${plural(Math.floor(seconds / unit.seconds), unit.name)} ago`;
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
