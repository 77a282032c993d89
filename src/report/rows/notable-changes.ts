import type { ChangeSource, FieldAuthor } from "../../model/attribution.ts";
import { formatAge } from "../../model/text/age.ts";
import type { NotableField } from "./notable-field.ts";
import type { Row, RowField } from "./row.ts";

/** An equal change of an important field in one or more objects. */
export interface NotableChange extends NotableField {
  /** The objects with this change. */
  readonly names: readonly string[];
  /** The source of the change, if it isn't one of the compared commits. */
  readonly source?: Exclude<ChangeSource, "change"> | undefined;
  /** The author of the live value, if it isn't this deployment. */
  readonly by?: FieldAuthor | undefined;
}

/** Returns the changes of replicas and images. Equal changes of several objects are one entry. */
export function notableChanges(rows: readonly Row[]): readonly NotableChange[] {
  const found = rows
    .filter(({ action }) => ["update", "replace", "rename"].includes(action))
    .flatMap((row) => row.fields.flatMap((field) => notableFieldChange(field, row.name)));
  const groups = Map.groupBy(found, ({ text, means, source, by }) =>
    JSON.stringify([source, by, text, means]),
  );
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    const names = [...new Set(alike.flatMap((each) => each.names))];
    return first === undefined ? [] : [{ ...first, names }];
  });
}

function notableFieldChange(
  { notable, source, by: author }: RowField,
  name: string,
): readonly NotableChange[] {
  if (notable === undefined) return [];
  const by = author === undefined ? {} : { by: author };
  const origin = source === "change" ? by : { source, ...by };
  return [{ ...notable, names: [name], ...origin }];
}

/**
 * Returns `kubectl-edit, 3 days ago`. Without the current time, it returns
 * `kubectl-edit, since 2026-11-19T08:00:00Z`.
 */
export function authorText({ manager, since }: FieldAuthor, now: string | undefined): string {
  if (since === undefined) return manager;
  return `${manager}, ${formatAge(since, now) ?? `since ${since}`}`;
}
