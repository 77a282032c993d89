import type { FieldStep } from "../../model/fields/field-differences.ts";
import { placesPods } from "../../model/governors.ts";
import { at } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { groupOf, keyOf } from "../../model/object.ts";
import type { FieldChange } from "../../model/plan/attribution.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { FindingCode } from "../../model/problems/finding-codes.ts";
import type { DeploymentReport } from "../comment/comment-input.ts";

/** The findings that depend only on the named field of the object. */
const singleFieldCodes: ReadonlySet<FindingCode> = new Set(["image-not-pinned", "no-unique-name"]);

/**
 * The findings that depend on the requests of this object's Pods and of other Pods.
 * They stay the same if only images and variables change.
 */
const podCodes: ReadonlySet<FindingCode> = new Set([
  "rollout-deadlock",
  "never-fits",
  "rollout-slow",
]);

/** Reports whether a finding existed before the pull request, which changes none of its causes. */
export function isPreexisting(
  { code, object, path, upgrade }: Finding,
  { base, attributions, plan, earlier: upstream }: DeploymentReport,
): boolean {
  if (base === undefined || attributions === undefined) return false;
  if (upgrade !== undefined) return upgrade.affects.includes("deployed");
  const key = keyOf({ ...object, group: groupOf(object.apiVersion) });
  const change = plan?.changes.find((each) => each.key === key);
  if (change?.live === undefined) return false;
  const own = (of: string) =>
    (attributions.changes.get(of)?.fields ?? []).filter(({ source }) => source === "change");
  // A `not-ready` finding describes the live object.
  if (code === "not-ready") return own(key).length === 0;
  if (podCodes.has(code)) {
    const changed = (plan?.changes ?? []).filter(({ id }) => placesPods(id));
    if (changed.some((each) => each.live === undefined || own(each.key).length > 0)) return false;
    if ([...(upstream?.changes.values() ?? [])].some(({ id }) => placesPods(id))) return false;
    const workloads = (plan?.changes ?? []).filter(hasPods);
    return workloads.every((each) => each.live !== undefined && own(each.key).every(isImage));
  }
  if (code === "requests-lost") {
    const services = (plan?.changes ?? []).filter(({ id }) => isCoreKind(id, "Service"));
    return own(key).every(isImage) && services.every((each) => own(each.key).length === 0);
  }
  if (!singleFieldCodes.has(code) || path === undefined) return false;
  return !own(key).some(({ steps }) => isRelated(steps, path));
}

function hasPods({ desired }: Change): boolean {
  return at(desired, "spec", "template", "spec") !== undefined;
}

function isImage({ path }: FieldChange): boolean {
  return /[cC]ontainers\[[^[\]]*\]\.(image|env|envFrom)\b/.test(path);
}

/**
 * Reports whether one path is a prefix of the other.
 * A finding identifies a list item by its index. A change can identify it by its keys, so every
 * item matches.
 */
function isRelated(steps: readonly FieldStep[], path: readonly string[]): boolean {
  return steps
    .slice(0, path.length)
    .every((step, i) => typeof step !== "string" || step === path[i]);
}
