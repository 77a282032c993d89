import { releaseNamespaceLabel } from "../../model/annotations.ts";
import { isObject, type JsonObject, sameJson } from "../../model/json.ts";
import { type KubeObject, label, withMetadata } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { withoutServerFields } from "../../redaction/redacted-change.ts";

/**
 * Reports whether an update only adds the label that earlier versions of qvs didn't write.
 * This happens once to every object after an upgrade. So many diffs would hide the real changes.
 */
export function isRelabeled(change: Change): boolean {
  const { action, steps, live, predicted } = change;
  if (action !== "update" || live === undefined || predicted === undefined) return false;
  if (steps.some(({ type }) => type !== "apply")) return false;
  if (label(live, releaseNamespaceLabel) !== undefined) return false;
  return sameJson(withoutServerFields(live), withoutServerFields(withoutLabel(predicted)));
}

/** The summary for all these updates. */
export const relabelSummary = `only the label ${releaseNamespaceLabel} is added, which earlier versions of qvs didn't write`;

function withoutLabel(object: KubeObject): JsonObject {
  const { labels } = object.metadata;
  if (!isObject(labels)) return object;
  const { [releaseNamespaceLabel]: _added, ...others } = labels;
  return withMetadata(object, { labels: others });
}
