import type { FieldAuthor } from "../../model/attribution.ts";
import { stages } from "../../model/compilation.ts";
import { type FieldStep, textOfPath } from "../../model/fields/field-differences.ts";
import { fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import { childrenOf } from "../../ssa/field-sets.ts";
import { keyFields } from "../../ssa/list-items.ts";
import { ownersOf, ownFields } from "../../ssa/managed-fields.ts";
import { fieldsTakenOver, managersTakenOver } from "../../ssa/steps/transfer-ownership.ts";

/**
 * Who else has written a field of a live object last; undefined where nobody but this deployment owns it. `among`: only these
 * managers are asked for.
 */
export function authorOf(
  live: KubeObject,
  path: readonly FieldStep[],
  deployment: string,
  among?: ReadonlySet<string>,
): FieldAuthor | undefined {
  const own = stages.map((stage) => fieldManager(deployment, stage));
  const [last] = ownersOf(live)
    .filter(({ manager, operation }) => !(own.includes(manager) && operation === "Apply"))
    .filter(({ manager }) => among === undefined || among.has(manager))
    .filter(({ fields }) => holds(fields, path))
    .toSorted((a, b) => (a.time < b.time ? 1 : -1));
  if (last === undefined) return undefined;
  const { manager, operation, time } = last;
  return { manager, operation, since: time === "" ? undefined : time };
}

/** Whether a field is this deployment's and nobody else's, so that only the server can have written another value than was sent. */
export function isOwnAlone(
  live: KubeObject,
  path: readonly FieldStep[],
  deployment: string,
): boolean {
  return holds(ownFields(live, deployment), path) && authorOf(live, path, deployment) === undefined;
}

/** Whether a change takes a field from others: what client-side tools own, or what the user wants to be forced. */
export function isTakenOver({ steps }: Change, path: readonly FieldStep[]): boolean {
  const text = textOfPath(path);
  const forced = steps.flatMap((step) => (step.type === "force" ? step.conflicts : []));
  return (
    holds(fieldsTakenOver(steps), path) ||
    forced.some(({ field }) => {
      const other = field.replace(/^\./, "");
      return isWithin(other, text) || isWithin(text, other);
    })
  );
}

/** The managers that a change takes fields from; undefined where it takes none, and an object is merely met that exists. */
export function takenFrom({ steps }: Change): ReadonlySet<string> | undefined {
  const forced = steps.flatMap((step) => (step.type === "force" ? step.conflicts : []));
  const managers = [...(managersTakenOver(steps) ?? []), ...forced.map(({ manager }) => manager)];
  return managers.length === 0 ? undefined : new Set(managers);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/** Whether a set in the form of `managedFields` has the field, something in it, or all that is around it. */
function holds(set: JsonObject, [step, ...rest]: readonly FieldStep[]): boolean {
  if (step === undefined) return true;
  return childrenOf(set)
    .filter((child) => isMeant(child, step))
    .some((child) => {
      const below = fieldOf(set, child);
      const isWhole = !isObject(below) || Object.keys(below).length === 0;
      return isWhole || rest.length === 0 || holds(below, rest);
    });
}

/** An item goes by its keys, of which either side may know only some. */
function isMeant(child: string, step: FieldStep): boolean {
  if (typeof step === "string") return child === `f:${step}`;
  if (typeof step === "number") return !child.startsWith("f:");
  const keys = Object.entries(keyFields(child));
  const known = keys.filter(([name]) => Object.hasOwn(step.keys, name));
  return known.length > 0 && known.every(([name, value]) => fieldOf(step.keys, name) === value);
}
