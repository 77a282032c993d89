import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { type FieldStep, formatFieldPath } from "../../model/fields/field-differences.ts";
import { type PathStep, parseIgnoredPaths } from "../../model/fields/field-path.ts";
import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
} from "../../model/json.ts";
import { annotation, type KubeObject } from "../../model/object.ts";
import { referencesSecret } from "../../model/plan/apply-time-reference.ts";
import type { FieldAuthor, IgnoredField } from "../../model/plan/attribution.ts";
import { type Change, fieldManager, type Plan } from "../../model/plan/plan.ts";
import { type Compilation, stages } from "../../model/sources/compilation.ts";
import { hideKeys, isHiddenKey } from "../../redaction/hidden-keys.ts";
import { redactPair } from "../../redaction/redact.ts";
import { childKeys } from "../../ssa/field-sets.ts";
import { keyFields } from "../../ssa/list-items.ts";
import { deploymentFields, fieldOwners } from "../../ssa/managed-fields.ts";
import { transferredFields, transferredManagers } from "../../ssa/steps/transfer-ownership.ts";

/**
 * Lists the declared fields with another live value that the object's annotation keeps.
 * It omits everything that can contain values of Secrets or belongs to another owner.
 */
export function ignoredFields(
  change: Change,
  { head, plan }: { readonly head: Compilation | undefined; readonly plan: Plan },
): readonly IgnoredField[] {
  const { live, desired, stage, resource } = change;
  const paths = parseIgnoredPaths(annotation(desired, ignoreChangesAnnotation) ?? "");
  const manifest = head?.resources.find((each) => each.stage === stage && each.id === resource);
  if (live === undefined || paths.length === 0 || manifest?.type !== "manifest") return [];
  if (
    change.redacted?.isComplete === false ||
    change.dryRunSkipped !== undefined ||
    canHoldSecrets(change)
  )
    return [];
  const declared = manifest.object;
  const { hides = [] } = plan;
  const shown = redactPair(change.redacted?.live ?? live, declared, {
    declared,
    hides,
    keepsKeys: true,
  });
  return paths.flatMap(({ text, steps = [] }) => {
    const [liveValue, declaredValue] = valuePair(live, declared, steps);
    if (declaredValue === undefined || sameJson(liveValue, declaredValue)) return [];
    const [shownLive, shownDeclared] = valuePair(shown.before, shown.after, steps);
    const isHidden = steps.some((step) => step.type === "field" && isHiddenKey(hides, step.name));
    return [
      {
        path: isHidden ? "(hidden)" : text,
        live: hideKeys(hides, shownLive),
        declared: hideKeys(hides, shownDeclared),
      },
    ];
  });
}

function canHoldSecrets({
  applyTimeReferences,
  ignoredSecretFields = [],
  previousSecretValues = [],
}: Change): boolean {
  return (
    referencesSecret(applyTimeReferences) ||
    ignoredSecretFields.length + previousSecretValues.length > 0
  );
}

type Pair = readonly [live: Json | undefined, declared: Json | undefined];

/**
 * Returns the live and the declared value at a path; neither for a path to several values.
 * An index counts in the manifest. The live item has the same name.
 */
function valuePair(live: Pair[0], declared: Pair[1], [step, ...rest]: readonly PathStep[]): Pair {
  if (step === undefined) return [live, declared];
  if (step.type === "field") {
    const below = (value: Json | undefined) =>
      isObject(value) ? fieldOf(value, step.name) : undefined;
    return valuePair(below(live), below(declared), rest);
  }
  if (step.type === "every" || !isList(declared)) return [undefined, undefined];
  const item = declared[step.index];
  const name = isObject(item) ? item.name : undefined;
  const items = isList(live) ? live : [];
  const same =
    name === undefined
      ? items[step.index]
      : items.find((each) => isObject(each) && each.name === name);
  return valuePair(same, item, rest);
}

/**
 * Returns the other field manager that wrote a field of a live object last.
 * Returns undefined if only this deployment owns the field. If `among` is set, only these managers
 * count.
 */
export function lastAuthor(
  live: KubeObject,
  path: readonly FieldStep[],
  deployment: string,
  managers?: ReadonlySet<string>,
): FieldAuthor | undefined {
  const own = stages.map((stage) => fieldManager(deployment, stage));
  const [last] = fieldOwners(live)
    .filter(({ manager, operation }) => !(own.includes(manager) && operation === "Apply"))
    .filter(({ manager }) => managers === undefined || managers.has(manager))
    .filter(({ fields }) => containsField(fields, path))
    .toSorted((a, b) => (a.time < b.time ? 1 : -1));
  if (last === undefined) return undefined;
  const { manager, operation, time } = last;
  return { manager, operation, since: time === "" ? undefined : time };
}

/**
 * Reports whether only this deployment owns a field.
 * Only the API server can then have written another value than qvs sent.
 */
export function isSoleOwner(
  live: KubeObject,
  path: readonly FieldStep[],
  deployment: string,
): boolean {
  return (
    containsField(deploymentFields(live, deployment), path) &&
    lastAuthor(live, path, deployment) === undefined
  );
}

/**
 * Reports whether a change takes a field from client-side tools, or forces it because the user
 * requested that.
 */
export function takesField({ steps }: Change, path: readonly FieldStep[]): boolean {
  const text = formatFieldPath(path);
  const forced = steps.flatMap((step) => (step.type === "force" ? step.conflicts : []));
  return (
    containsField(transferredFields(steps), path) ||
    forced.some(({ field }) => {
      const other = field.replace(/^\./, "");
      return isWithin(other, text) || isWithin(text, other);
    })
  );
}

/**
 * Returns the managers that a change takes fields from.
 * Returns undefined if it takes none and only adopts a pre-existing object.
 */
export function takenManagers({ steps }: Change): ReadonlySet<string> | undefined {
  const forced = steps.flatMap((step) => (step.type === "force" ? step.conflicts : []));
  const managers = [...(transferredManagers(steps) ?? []), ...forced.map(({ manager }) => manager)];
  return managers.length === 0 ? undefined : new Set(managers);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/**
 * Reports whether a set in the form of `managedFields` contains the field, a part of it, or a
 * parent of it as a whole.
 */
function containsField(set: JsonObject, [step, ...rest]: readonly FieldStep[]): boolean {
  if (step === undefined) return true;
  return childKeys(set)
    .filter((child) => matchesStep(child, step))
    .some((child) => {
      const below = fieldOf(set, child);
      const isWhole = !isObject(below) || Object.keys(below).length === 0;
      return isWhole || rest.length === 0 || containsField(below, rest);
    });
}

/** Compares a list item by its keys; either side can know only some of them. */
function matchesStep(child: string, step: FieldStep): boolean {
  if (typeof step === "string") return child === `f:${step}`;
  if (typeof step === "number") return !child.startsWith("f:");
  const keys = Object.entries(keyFields(child));
  const known = keys.filter(([name]) => Object.hasOwn(step.keys, name));
  return known.length > 0 && known.every(([name, value]) => fieldOf(step.keys, name) === value);
}
