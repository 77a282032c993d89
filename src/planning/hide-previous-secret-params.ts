import { containsSecret, scalarTexts } from "../model/apply-time-reference.ts";
import type { Manifest } from "../model/compilation.ts";
import { replaceValues } from "../model/fields/map-values.ts";
import { isList, isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import type { PlannedDeployment } from "./planned-deployment.ts";

/**
 * Hides the values that secret parameters had in earlier releases.
 * When such a value changes, the live object still contains the former value, which no current
 * value hides. Values in the manifest stay visible. Otherwise a preview would confirm a former
 * value that a user guessed.
 */
export function hidePreviousSecretParams(
  planned: PlannedDeployment,
  manifests: readonly Manifest[],
): PlannedDeployment {
  const texts = hiddenInAny(planned.recorded?.releases ?? []);
  if (texts.length === 0) return planned;
  const hideInPlan = (plan: Plan): Plan => ({
    ...plan,
    changes: plan.changes.map((change) =>
      hideLiveTexts(change, manifestTexts(change, manifests), texts),
    ),
  });
  if (planned.executable) return { ...planned, plan: hideInPlan(planned.plan) };
  return planned.plan === undefined ? planned : { ...planned, plan: hideInPlan(planned.plan) };
}

/**
 * Collects the texts of the manifest.
 * The sent object can also contain live values that qvs keeps, which the manifest doesn't contain.
 */
function manifestTexts(
  { desired, keeps, stage, resource }: Change,
  manifests: readonly Manifest[],
) {
  const manifest =
    keeps && manifests.find((each) => each.stage === stage && each.id === resource)?.object;
  return new Set(scalarTexts(manifest ?? desired));
}

function hideLiveTexts(
  change: Change,
  manifest: ReadonlySet<string>,
  texts: readonly string[],
): Change {
  const { live, predicted } = { ...change, ...change.redacted };
  if (live === undefined) return change;
  const isHidden = (text: string) => !manifest.has(text) && containsSecret(texts, text);
  if (!scalarTexts(live).some(isHidden)) return change;
  const redacted = {
    live: hideTexts(live, isHidden),
    predicted: predicted && hideTexts(predicted, isHidden),
    desired: hideTexts(change.desired, isHidden),
    isComplete: change.redacted?.isComplete ?? true,
  };
  return { ...change, redacted };
}

function hideTexts(object: KubeObject, isHidden: (text: string) => boolean): KubeObject {
  const shown = replaceValues(object, (value) => {
    const isText = !isList(value) && !isObject(value) && value !== null;
    return isText && isHidden(String(value)) ? "(hidden)" : undefined;
  });
  // The API version and the kind reveal nothing that the change doesn't show.
  const { apiVersion, kind } = object;
  return { ...shown, apiVersion, kind };
}
