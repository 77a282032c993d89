import { holdsOneOf, leavesOf } from "../model/apply-time-reference.ts";
import type { Manifest } from "../model/compilation.ts";
import { replaceValues } from "../model/fields/replace-values.ts";
import { isList, isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { hiddenTexts } from "../releases/queries/hidden-texts.ts";
import type { PlannedDeployment } from "./planned-deployment.ts";

/**
 * The plan without the values that params called secrets had in earlier releases: where one is changed, what is live holds the former
 * one, which the values of now do not tell. What the manifest says itself is shown, so that nobody learns from a preview whether a
 * guess that he has written is such a value.
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

/** What is sent may hold live values that are kept: the manifest does not say those. */
function writtenIn({ desired, keeps, stage, resource }: Change, manifests: readonly Manifest[]) {
  const manifest =
    keeps && manifests.find((each) => each.stage === stage && each.id === resource)?.object;
  return new Set(leavesOf(manifest ?? desired));
}

function withoutTexts(
  change: Change,
  written: ReadonlySet<string>,
  texts: readonly string[],
): Change {
  const { live, predicted } = { ...change, ...change.shows };
  if (live === undefined) return change;
  const isHidden = (text: string) => !written.has(text) && holdsOneOf(texts, text);
  if (!leavesOf(live).some(isHidden)) return change;
  const shows = {
    live: hide(live, isHidden),
    predicted: predicted && hide(predicted, isHidden),
    desired: hide(change.desired, isHidden),
    whole: change.shows?.whole ?? true,
  };
  return { ...change, shows };
}

function hide(object: KubeObject, isHidden: (text: string) => boolean): KubeObject {
  const shown = replaceValues(object, (value) => {
    const isText = !isList(value) && !isObject(value) && value !== null;
    return isText && isHidden(String(value)) ? "(hidden)" : undefined;
  });
  // What an object is called tells nothing that its change does not.
  const { apiVersion, kind } = object;
  return { ...shown, apiVersion, kind };
}
