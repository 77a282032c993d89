import { releaseNamespaceLabel } from "../../model/annotations.ts";
import { diffTextLines } from "../diff/text-diff.ts";
import type { DeploymentReview } from "../review/review.ts";
import type { Row } from "../rows/row.ts";

/** The objects whose diff an earlier section shows, with the name of that deployment. */
export type RepeatedDiffs = ReadonlyMap<Row, string>;

/** Finds equal diffs in several deployments. Only the first one is shown. */
export function repeatedDiffs(sections: readonly DeploymentReview[]): RepeatedDiffs {
  const all = sections.flatMap(({ name, rows }) => rows.map((row) => ({ name, row })));
  const alike = Map.groupBy(all, ({ row }) => changeKey(row));
  const repeated = [...alike].flatMap(([key, [first, ...others]]) =>
    key === undefined || first === undefined
      ? []
      : others
          .filter(({ name }) => name !== first.name)
          .map(({ row }) => [row, first.name] as const),
  );
  return new Map(repeated);
}

/**
 * Returns a key for equal changes.
 * Undefined if there is no diff, or if a value is hidden, such as a Secret's.
 */
function changeKey({ name, action, diff }: Row): string | undefined {
  const lines = diffTextLines(diff);
  if (diff === undefined || lines.some(isHidden)) return undefined;
  const [kind = "", place = ""] = name.split(" ");
  const slash = place.lastIndexOf("/");
  const namespace = slash < 0 ? undefined : place.slice(0, slash);
  const isPlace = (line: string) =>
    line.slice(1).trim() === `namespace: ${namespace}` ||
    line.includes(`${releaseNamespaceLabel}: `);
  const shown = lines.filter((line) => !isPlace(line));
  return [action, kind, place.slice(slash + 1), ...(diff.words ?? []), ...shown].join("\n");
}

/** Reports whether a line hides a value. Two different hidden values look the same. */
function isHidden(line: string): boolean {
  return /\((hidden|changed|added|removed)\)/.test(line);
}
