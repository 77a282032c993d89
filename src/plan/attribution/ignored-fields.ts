import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { referencesSecret } from "../../model/apply-time-reference.ts";
import type { IgnoredField } from "../../model/attribution.ts";
import type { Compilation } from "../../model/compilation.ts";
import { type PathStep, parseIgnoredPaths } from "../../model/fields/ignored-paths.ts";
import { fieldOf, isList, isObject, type Json, sameJson } from "../../model/json.ts";
import { annotation } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import { redactPair } from "../../redaction/redact.ts";

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
  const shown = redactPair(change.redacted?.live ?? live, declared, {
    declared,
    hides: plan.hides,
  });
  return paths.flatMap(({ text, steps = [] }) => {
    const [liveValue, declaredValue] = valuePair(live, declared, steps);
    if (declaredValue === undefined || sameJson(liveValue, declaredValue)) return [];
    const [shownLive, shownDeclared] = valuePair(shown.before, shown.after, steps);
    return [{ path: text, live: shownLive, declared: shownDeclared }];
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
