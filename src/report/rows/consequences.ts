import { deletionEffect, renamingEffect } from "../../model/cluster/change-effects.ts";
import { type Row, rowKind } from "./row.ts";

/**
 * Reports whether an object is lost.
 * A renamed ConfigMap, Secret or Job doesn't count: the next start of the program uses the new one.
 */
export function isObjectLost({ action, harmless, name, succeeds }: Row): boolean {
  if (action === "delete") return harmless !== true;
  return action === "rename" && succeeds !== undefined && !/^(ConfigMap|Secret|Job) /.test(name);
}

/** Returns the consequences of a deletion, a rename or a reduction, one per line. */
export function describeConsequences(row: Row): readonly string[] {
  const kind = rowKind(row.name);
  const lost = row.action === "delete" ? deletionEffect(kind) : renamingEffect(kind);
  const less = row.fields.flatMap(({ notable }) =>
    notable?.means === undefined ? [] : [`${notable.text}: ${notable.means}`],
  );
  return [...(isObjectLost(row) && lost !== undefined ? [lost] : []), ...less];
}
