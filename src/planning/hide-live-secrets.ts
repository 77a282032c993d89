import { containsSecret, scalarTexts } from "../model/apply-time-reference.ts";
import type { Manifest } from "../model/compilation.ts";
import { isList, isObject, replaceValues } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { objectSecrets } from "../redaction/sensitive-values.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import { pickFields } from "../ssa/field-sets.ts";
import { deploymentFields, isAppliedAlone } from "../ssa/managed-fields.ts";
import type { PlannedDeployment } from "./planned-deployment.ts";

/**
 * Hides secrets that only the live objects contain: values that other field managers wrote, and
 * values that secret parameters had in earlier releases.
 * When such a parameter changes, the live object still contains the former value, which no current
 * value hides. A plan of a record hides these values already. Values in the manifest stay visible.
 * Otherwise a preview would confirm a value that a user guessed.
 */
export function hideLiveSecrets(
  planned: PlannedDeployment,
  manifests: readonly Manifest[],
  isFromCommit: boolean,
): PlannedDeployment {
  const texts = isFromCommit ? hiddenInAny(planned.recorded?.releases ?? []) : [];
  const hideInPlan = (plan: Plan): Plan => ({
    ...plan,
    changes: plan.changes.map((change) => {
      const { live } = change;
      if (live === undefined) return change;
      const isOwn = isAppliedAlone(live, plan.deployment);
      if (isOwn && texts.length === 0) return change;
      const manifest = manifestTexts(change, manifests);
      const foreign = isOwn ? noTexts : foreignSecrets(live, plan.deployment, manifest);
      return hideLiveTexts(change, { texts, foreign, manifest });
    }),
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

/**
 * Returns the strings of a live object that another field manager wrote, that can be secrets and
 * that aren't known, such as the variable `DB_PASSWORD` after `kubectl set env`. No file of the
 * repository contains them. Secrets have their own rules.
 */
function foreignSecrets(
  live: KubeObject,
  deployment: string,
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  if (canContainSecrets(live)) return noTexts;
  const secrets = objectSecrets(live, known);
  if (secrets.length === 0) return noTexts;
  const fields = deploymentFields(live, deployment);
  const own = Object.keys(fields).length === 0 ? undefined : pickFields(live, fields);
  return new Set(secrets).difference(new Set(own === undefined ? [] : scalarTexts(own)));
}

const noTexts: ReadonlySet<string> = new Set();

interface HiddenTexts {
  /** Strings that every text hides that contains them. */
  readonly texts: readonly string[];
  /** Texts that are hidden as a whole. */
  readonly foreign: ReadonlySet<string>;
  /** Texts that stay visible. */
  readonly manifest: ReadonlySet<string>;
}

function hideLiveTexts(change: Change, { texts, foreign, manifest }: HiddenTexts): Change {
  const { live, predicted } = { ...change, ...change.redacted };
  if (live === undefined || texts.length + foreign.size === 0) return change;
  const isHidden = (text: string) =>
    !manifest.has(text) && (foreign.has(text) || containsSecret(texts, text));
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
