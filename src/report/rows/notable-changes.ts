import type { ChangeSource, FieldAuthor } from "../../model/attribution.ts";
import { ago } from "../../model/text/ago.ts";
import type { NotableField } from "./notable-field.ts";
import type { Row, RowField } from "./row.ts";

/** Fields that a reviewer asks for first, where they change in the same way. */
export interface NotableChange extends NotableField {
  /** The objects that change so. */
  readonly names: readonly string[];
  /** Whose doing it is, where it is not that of what is compared. */
  readonly source?: Exclude<ChangeSource, "change"> | undefined;
  /** Who has written what is there, where that is others'. */
  readonly by?: FieldAuthor | undefined;
}

/** How many replicas there are and which images run, where that changes: the same of several objects is told once. */
export function notableChanges(rows: readonly Row[]): readonly NotableChange[] {
  const found = rows
    .filter(({ action }) => ["update", "replace", "rename"].includes(action))
    .flatMap((row) => row.fields.flatMap((field) => notableIn(field, row.name)));
  const groups = Map.groupBy(found, ({ text, means, source, by }) =>
    JSON.stringify([source, by, text, means]),
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
  const by = author === undefined ? {} : { by: author };
  const whose = source === "change" ? by : { source, ...by };
  return [{ ...notable, names: [name], ...whose }];
}

/** `kubectl-edit, 3 days ago`; without a time of now, `kubectl-edit, since 2026-11-19T08:00:00Z`. */
export function authorInWords({ manager, since }: FieldAuthor, now: string | undefined): string {
  if (since === undefined) return manager;
  return `${manager}, ${ago(since, now) ?? `since ${since}`}`;
}
