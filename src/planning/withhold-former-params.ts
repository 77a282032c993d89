import { containsSecret, scalarTexts } from "../model/apply-time-reference.ts";
import type { Manifest } from "../model/compilation.ts";
import { replaceValues } from "../model/fields/replace-values.ts";
import { isList, isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { hiddenTexts } from "../releases/queries/hidden-texts.ts";
import type { PlannedDeployment } from "./planned-deployment.ts";

/**
 * Hides the values that secret parameters had in earlier releases.
 * When such a value changes, the live object still contains the former value, which no current
 * value hides. Values in the manifest stay visible. Otherwise a preview would confirm a former
 * value that a user guessed.
 */
export function withholdFormerParams(
  planned: PlannedDeployment,
  manifests: readonly Manifest[],
): PlannedDeployment {
  const texts = [...new Set((planned.recorded?.releases ?? []).flatMap(hiddenTexts))];
  if (texts.length === 0) return planned;
  const withhold = (plan: Plan): Plan => ({
    ...plan,
    changes: plan.changes.map((change) =>
      withoutTexts(change, writtenIn(change, manifests), texts),
    ),
  });
  if (planned.executable) return { ...planned, plan: withhold(planned.plan) };
  return planned.plan === undefined ? planned : { ...planned, plan: withhold(planned.plan) };
}

/**
 * Collects the texts of the manifest.
 * The sent object can also contain live values that qvs keeps, which the manifest doesn't contain.
 */
function writtenIn({ desired, keeps, stage, resource }: Change, manifests: readonly Manifest[]) {
  const manifest =
    keeps && manifests.find((each) => each.stage === stage && each.id === resource)?.object;
  return new Set(scalarTexts(manifest ?? desired));
}

function withoutTexts(
  change: Change,
  written: ReadonlySet<string>,
  texts: readonly string[],
): Change {
  const { live, predicted } = { ...change, ...change.redacted };
  if (live === undefined) return change;
  const isHidden = (text: string) => !written.has(text) && containsSecret(texts, text);
  if (!scalarTexts(live).some(isHidden)) return change;
  const redacted = {
    live: hide(live, isHidden),
    predicted: predicted && hide(predicted, isHidden),
    desired: hide(change.desired, isHidden),
    isComplete: change.redacted?.isComplete ?? true,
  };
  return { ...change, redacted };
}

function hide(object: KubeObject, isHidden: (text: string) => boolean): KubeObject {
  const shown = replaceValues(object, (value) => {
    const isText = !isList(value) && !isObject(value) && value !== null;
    return isText && isHidden(String(value)) ? "(hidden)" : undefined;
  });
  // The API version and the kind reveal nothing that the change doesn't show.
  const { apiVersion, kind } = object;
  return { ...shown, apiVersion, kind };
}
