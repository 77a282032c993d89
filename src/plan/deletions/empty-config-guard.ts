import type { Deletion } from "../../model/deletion.ts";
import { nameOf } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { allowEverything } from "../../ssa/protection.ts";

/** The maximum number of objects that the message names. */
const maxNames = 5;

/**
 * Blocks a deployment without any manifest from deleting all its objects.
 * A false condition or a wrong file is far more often the cause than the end of an application.
 * Only a flag allows the deletion.
 */
export function emptyConfigGuard(
  deployment: string,
  desired: readonly unknown[],
  deletions: readonly Deletion[],
  allowDelete: readonly string[],
): readonly Problem[] {
  if (desired.length > 0 || deletions.length === 0 || allowDelete.includes(allowEverything))
    return [];
  const names = deletions.map(({ id }) => nameOf(id)).toSorted();
  return [
    {
      code: "empty-config",
      what: `"${deployment}" no longer declares any object`,
      why: `${objectCount(names.length)} would be deleted`,
      facts: [{ label: "objects", value: summarizeList(names, maxNames) }],
      fix: "Find out what made the config empty",
      otherwise: [`delete all its objects with --allow-delete=${allowEverything}`],
      inputs: [`allow-delete: ${allowEverything}`],
      where: [],
    },
  ];
}

function objectCount(objects: number): string {
  return objects === 1 ? "1 live object" : `All ${objects} live objects`;
}
