import { at, isObject, type JsonObject } from "../../model/json.ts";
import { type KubeObject, withMetadata } from "../../model/object.ts";
import { withSecretKind } from "../../model/plan/apply-time-reference.ts";
import { type Change, type RedactedObjects, summarizeAction } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { notCompared } from "../../redaction/redact-secrets.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { showableWarning } from "../../redaction/showable-rejection.ts";
import { pickFields, unionFieldSets } from "../../ssa/field-sets.ts";
import { deploymentFields } from "../../ssa/managed-fields.ts";
import { transferredFields } from "../../ssa/steps/transfer-ownership.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { ForeignObject } from "../ownership/foreign-objects.ts";
import type { PlanInput } from "../plan-input.ts";
import { withClaimGrowth } from "./claim-growth.ts";
import type { PendingCrds } from "./crds/pending-crds.ts";
import { isWithheld } from "./decide-by-dry-run.ts";
import { decideVerdict } from "./decide-verdict.ts";

export interface PlannedChange {
  readonly change: Change;
  readonly problems: readonly Problem[];
}

/** Plans the change of one declared object, with the errors that block it. */
export function planChange(
  desired: DesiredObject,
  input: PlanInput,
  pendingCrds: PendingCrds,
): PlannedChange {
  const live = input.observed.live.get(desired.key);
  const verdict = withClaimGrowth(decideVerdict(desired, live, input, pendingCrds), desired, input);
  const { steps, predicted, certainty, problems } = verdict;
  const action = summarizeAction(steps, live);
  const { key, id, stage, resource } = desired;
  const { object, applyTimeReferences } = action === "replace" ? desired.recreated : desired;
  const {
    ignoredSecretFields,
    previousSecretValues,
    manifestStrings: written,
    dryRunSkipped,
  } = desired;
  const change: Change = {
    key,
    id,
    stage,
    resource,
    action,
    steps,
    desired: action === "update" ? pinVersion(object, desired.ignoring?.resourceVersion) : object,
    live,
    predicted,
    certainty,
    after: input.desired.edges.get(key) ?? [],
    ...(desired.hook === undefined ? {} : { hook: desired.hook }),
    ...(action === "update" ? keptFields(desired) : {}),
    ...{
      applyTimeReferences,
      ignoredSecretFields,
      previousSecretValues,
      manifestStrings: written,
      dryRunSkipped,
    },
    ...showableWarnings(desired, input),
  };
  const redacted = visiblePart(change, input.rules.deployment, input.desired.foreign.get(key));
  return {
    change: redacted === undefined ? change : { ...change, redacted },
    problems: problems ?? [],
  };
}

function showableWarnings(desired: DesiredObject, input: PlanInput): Pick<Change, "warnings"> {
  const { warnings = [] } = input.observed.dryRuns.get(desired.key) ?? {};
  if (warnings.length === 0) return {};
  const withheld = isWithheld(desired, input);
  const canQuote = !withheld && !canContainSecrets(withSecretKind(desired.object, desired));
  const texts = warnings.map((text) => showableWarning(text, desired.object, canQuote));
  return { warnings: [...new Set(texts)] };
}

function keptFields({ ignoring }: DesiredObject): Pick<Change, "keeps"> {
  return ignoring?.resourceVersion === undefined ? {} : { keeps: ignoring.paths };
}

function pinVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  if (resourceVersion === undefined) return object;
  return withMetadata(object, { resourceVersion });
}

type VisibleParts = Pick<RedactedObjects, "live" | "predicted">;

/**
 * Returns the visible part of a live object and of its prediction, if they aren't visible as a
 * whole.
 * For an object outside this deployment, these are the fields that this deployment takes. For a
 * Secret, the keys of other managers are left out. The result never reveals whether another owner's
 * value equals the declared one.
 */
function visiblePart(
  change: Change,
  deployment: string,
  foreign: ForeignObject | undefined,
): RedactedObjects | undefined {
  const part = visibleChangePart(change, deployment, foreign);
  return part && { ...part, isComplete: false };
}

function visibleChangePart(
  change: Change,
  deployment: string,
  foreign: ForeignObject | undefined,
): VisibleParts | undefined {
  const { live, predicted, desired } = change;
  const isForeign = foreign !== undefined;
  if (live === undefined || (!isForeign && desired.kind !== "Secret")) return undefined;
  if (foreign?.nameCollides) return { live: pickPart(live, {}), predicted: undefined };
  const shown = isForeign ? futureOwnPart(change, live, deployment) : { live, predicted };
  if (desired.kind !== "Secret") return shown;
  const own = isForeign ? {} : deploymentFields(live, deployment);
  return secretPart(shown, change, own);
}

/**
 * Returns the fields that this deployment owns after the change.
 * The API server accepted the declared values, so each live value was equal or had no owner.
 */
function futureOwnPart(
  { steps, predicted }: Change,
  live: KubeObject,
  deployment: string,
): VisibleParts {
  const ours = predicted === undefined ? {} : deploymentFields(predicted, deployment);
  const taken = unionFieldSets([transferredFields(steps), ours]);
  return {
    live: pickPart(live, taken),
    predicted: predicted && pickPart(predicted, ours),
  };
}

function pickPart(object: KubeObject, fields: JsonObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const found = Object.keys(fields).length === 0 ? undefined : pickFields(object, fields);
  const part = isObject(found) ? found : {};
  const { name, namespace } = metadata;
  const identity = { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) };
  const own = isObject(part.metadata) ? part.metadata : {};
  return { ...part, apiVersion, kind, metadata: { ...own, ...identity } };
}

function secretPart(
  { live, predicted }: VisibleParts,
  { steps, desired, dryRunSkipped }: Change,
  own: JsonObject,
): VisibleParts {
  const taken = unionFieldSets([dataKeys(own), dataKeys(transferredFields(steps))]);
  const declared = isObject(desired.data) ? Object.keys(desired.data) : [];
  const predictedKeys = unionFieldSets([taken, ...declared.map((key) => ({ [`f:${key}`]: {} }))]);
  const unknown = dryRunSkipped === undefined ? undefined : dataKeys(own);
  return {
    live: withData(live, taken, unknown),
    predicted: predicted && withData(predicted, predictedKeys),
  };
}

function dataKeys(fields: JsonObject): JsonObject {
  const keys = at(fields, "f:data");
  return isObject(keys) ? keys : {};
}

/**
 * Returns a Secret with only these keys.
 * If the third parameter is set, only its keys keep their values. The other keys are compared with
 * nothing.
 */
function withData(secret: KubeObject, keys: JsonObject, comparedKeys?: JsonObject): KubeObject {
  if (!isObject(secret.data)) return secret;
  const data = Object.entries(secret.data)
    .filter(([key]) => Object.hasOwn(keys, `f:${key}`))
    .map(([key, value]) =>
      comparedKeys === undefined || Object.hasOwn(comparedKeys, `f:${key}`)
        ? [key, value]
        : [key, notCompared],
    );
  const { data: _data, ...rest } = secret;
  return (data.length === 0 ? rest : { ...rest, data: Object.fromEntries(data) }) as KubeObject;
}
