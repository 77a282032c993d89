import { keyOf, nameFromKey } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { deletionProtection, matchesDeploymentName } from "../../ssa/protection.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

/**
 * Returns notices for objects that this deployment applied, and that no release records any more.
 * A user might have deleted the releases. Only kinds that qvs reads anyway are checked. qvs never
 * deletes unrecorded objects.
 */
export function unrecordedNotices(
  { rules, observed: { live, inventory } }: PlanInput,
  declared: readonly DesiredObject[],
): readonly Problem[] {
  // A release that can't be read might record them.
  if (rules.keepAllReason !== undefined) return [];
  const advice =
    rules.deletes === true
      ? { fix: "Delete it manually if no one needs it" }
      : { fix: "Declare it again", otherwise: ["delete it manually if no one needs it"] };
  const known = new Set([
    ...inventory.map(({ id }) => keyOf(id)),
    ...declared.map(({ key }) => key),
  ]);
  return [...live].flatMap(([key, object]): readonly Problem[] => {
    if (known.has(key) || !matchesDeploymentName(object, rules.deployment)) return [];
    if (object.metadata.deletionTimestamp !== undefined) return [];
    if (deletionProtection(object, rules) !== undefined) return [];
    const name = nameFromKey(key);
    return [
      {
        code: "kept-object",
        subjects: [name],
        what: `${name}: applied by this deployment, but not recorded in any release`,
        why: "qvs never deletes an object that no release records",
        ...advice,
        where: [],
      },
    ];
  });
}
