import type { JsonObject } from "../model/json.ts";
import { nameOf } from "../model/object.ts";
import type { RollbackObstacle, RollbackPreview } from "../model/predictions.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { plural } from "./text/counts.ts";

/** The maximum number of names or facts in the line. */
const maxShown = 3;

/**
 * Returns the line about the rollback of a plan, such as `Rollback: possible, 3 objects, nothing
 * lost`.
 */
export function rollbackLine(rollback: RollbackPreview): string {
  return `Rollback: ${answer(rollback)}${notesText(rollback)}`;
}

function answer({ possible, objects, lost, reasons, needs }: RollbackPreview): string {
  if (possible !== true) {
    const why = summarizeList(
      reasons.map(({ what }) => what),
      maxShown,
    );
    return `${possible === false ? "not possible" : "not predicted"}: ${why}`;
  }
  const parts = [
    needs.length === 0 ? "possible" : `possible with ${needs.join(", ")}`,
    plural(objects, "object"),
    lost.length === 0 ? "nothing lost" : `not restored: ${subjects(lost)}`,
  ];
  return parts.join(", ");
}

function notesText({ notes, possible }: RollbackPreview): string {
  if (notes.length === 0 || possible !== true) return "";
  return `. ${summarizeList(
    notes.map(({ what }) => what),
    maxShown,
  )}`;
}

function subjects(facts: readonly RollbackObstacle[]): string {
  const names = facts.map(({ object, what }) => (object === undefined ? what : nameOf(object)));
  return summarizeList([...new Set(names)].toSorted(), maxShown);
}

/** Returns the rollback for the JSON of a preview. null stands for a rollback without a target. */
export function rollbackJson(rollback: RollbackPreview | undefined): JsonObject | null {
  if (rollback === undefined) return null;
  const { to, possible, objects, lost, reasons, notes, needs } = rollback;
  return {
    ...{ to, objects, possible: possible ?? null },
    ...{ lost: lost.map(obstacleJson), reasons: reasons.map(obstacleJson) },
    ...{ notes: notes.map(obstacleJson), needs: [...needs] },
  };
}

function obstacleJson({ object, what, why, fix }: RollbackObstacle): JsonObject {
  return { object: object === undefined ? null : { ...object }, what, why, fix };
}
