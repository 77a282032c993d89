import { keyOf, nameFromKey } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { isNamedFor, protectionOf } from "../../ssa/protection.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

/**
 * Returns notices for objects that this deployment applied, and that no release records any more.
 * A user might have deleted the releases. Only kinds that qvs reads anyway are checked. qvs never
 * deletes unrecorded objects.
 */
export function unrecorded(
  { rules, observed: { live, inventory } }: PlanInput,
  declared: readonly DesiredObject[],
): readonly Problem[] {
  // A release that can't be read might record them.
  if (rules.nothingGoes !== undefined) return [];
  const cure =
    rules.deletes === true
      ? { fix: "Delete it manually if no one needs it" }
      : { fix: "Declare it again", otherwise: ["delete it manually if no one needs it"] };
  const known = new Set([
    ...inventory.map(({ id }) => keyOf(id)),
    ...declared.map(({ key }) => key),
  ]);
  return [...live].flatMap(([key, object]): readonly Problem[] => {
    if (known.has(key) || !isNamedFor(object, rules.deployment)) return [];
    if (object.metadata.deletionTimestamp !== undefined) return [];
    if (protectionOf(object, rules) !== undefined) return [];
    const name = nameFromKey(key);
    return [
      {
        code: "kept-object",
        subjects: [name],
        what: `${name}: applied by this deployment, but not recorded in any release`,
        why: "qvs never deletes an object that no release records",
        ...cure,
        where: [],
      },
    ];
  });
}
