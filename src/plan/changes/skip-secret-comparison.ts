import type { LiveObjects } from "../../model/deployments/release.ts";
import { at, isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { referencesSecret } from "../../model/plan/apply-time-reference.ts";
import { deploymentFields, fieldOwners } from "../../ssa/managed-fields.ts";
import type { DesiredObject, MarkedObject } from "../declared/objects.ts";
import type { ForeignObject, ForeignObjects } from "../ownership/foreign-objects.ts";

/**
 * Adds the reason why a preview neither compares an object with the live one nor sends a dry run.
 * The answer would depend on a Secret's value that isn't this deployment's, or that is sent again
 * unchanged. The reason never depends on a value, because it would then reveal it.
 */
export function skipSecretComparison(
  deployment: string,
  objects: readonly MarkedObject[],
  live: LiveObjects,
  foreign: ForeignObjects,
): readonly DesiredObject[] {
  return objects.map((desired) => {
    const existing = live.get(desired.key);
    const reason =
      existing === undefined
        ? undefined
        : skipReason(desired, existing, deployment, foreign.get(desired.key));
    if (reason === undefined) return { ...desired, dryRunSkipped: reason };
    // Ignored fields would be sent with their live values.
    const isNamesake = foreign.get(desired.key)?.nameCollides === true;
    const object = (isNamesake ? desired.ignoring?.declared : undefined) ?? desired.object;
    return { ...desired, object, dryRunSkipped: reason };
  });
}

function skipReason(
  desired: MarkedObject,
  live: KubeObject,
  deployment: string,
  foreign: ForeignObject | undefined,
): string | undefined {
  if (foreign?.nameCollides)
    return "it has the name of this deployment, but qvs can't confirm that it belongs to it";
  const isForeign = foreign !== undefined;
  const { object, ignoring, ignoredSecretFields, previousSecretValues, applyTimeReferences } =
    desired;
  if (object.kind !== "Secret") {
    const hasSecrets =
      ignoredSecretFields.length + previousSecretValues.length > 0 ||
      referencesSecret(applyTimeReferences);
    if (!hasSecrets) return undefined;
    if (isForeign) return "it doesn't belong to this deployment and takes a Secret's value";
    if (ignoring !== undefined)
      return "a field that keeps its live value might contain a Secret's value";
    return desired.replacesSecret
      ? "one of its fields contained a Secret's value until now"
      : undefined;
  }
  if (isForeign)
    return "it exists already, and qvs doesn't compare Secrets outside this deployment";
  if (keepsLiveData(desired)) return "it keeps values of the live Secret";
  return hasMixedData(desired, live, deployment)
    ? "other field managers wrote values to the Secret, and qvs doesn't compare these"
    : undefined;
}

function keepsLiveData({ ignoring }: MarkedObject): boolean {
  return (ignoring?.paths ?? []).some(
    ([first]) => first?.type === "field" && first.name === "data",
  );
}

/**
 * Reports whether a declared key can be one that other managers added to the Secret.
 * The result doesn't reveal their keys: if they added any, every new key counts as theirs.
 */
function hasMixedData({ object }: MarkedObject, live: KubeObject, deployment: string): boolean {
  const ours = at(deploymentFields(live, deployment), "f:data");
  const own = new Set(isObject(ours) ? Object.keys(ours) : []);
  const foreign = fieldOwners(live).flatMap(({ fields }) => {
    const keys = at(fields, "f:data");
    return isObject(keys) ? Object.keys(keys).filter((key) => key !== "." && !own.has(key)) : [];
  });
  const declared = isObject(object.data) ? Object.keys(object.data) : [];
  return foreign.length > 0 && declared.some((key) => !own.has(`f:${key}`));
}
