import { isSubset } from "../../model/cluster/fields/immutable-fields.ts";
import type { Release } from "../../model/deployments/release.ts";
import { at, isObject, type Json, type JsonObject, sameJson } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { idOf, isKubeObject, keyOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { RollbackPreview } from "../../model/plan/predictions.ts";
import type { ExecutablePlan } from "../planned-deployment.ts";
import { foreignChanges } from "./lost-fields.ts";
import { contentAfterChange } from "./object-after-change.ts";

/** The manifest that a rollback applies, in the form in which qvs sends it. */
type Restored = Release["expandedConfig"][number];

/**
 * Returns the rollback of a plan that only gives ConfigMaps other values; undefined for all other
 * plans. Such a rollback gives them their present values again, so qvs doesn't plan it. This is the
 * most frequent large plan, for which a second plan would take as long as the first one.
 */
export function undoPlainUpdates(
  { plan, recorded, overrode, findings }: ExecutablePlan,
  target: Release,
): RollbackPreview | undefined {
  const isPlain =
    hasOnlyChanges(plan) &&
    overrode === undefined &&
    recorded.newest === target &&
    recorded.unreadable.length === 0 &&
    (target.checks ?? []).length === 0 &&
    findings.every(({ severity }) => severity !== "error");
  if (!isPlain) return undefined;
  const restored = new Map(target.expandedConfig.flatMap(keyed));
  const canRestore = ({ key, ...change }: Change) => {
    const manifest = restored.get(key);
    return manifest !== undefined && isRestorable({ key, ...change }, manifest, plan);
  };
  const isSameSet =
    restored.size === plan.changes.length && restored.size === target.expandedConfig.length;
  if (!isSameSet || !plan.changes.every(canRestore)) return undefined;
  const objects = plan.changes.filter(isChanged).length;
  const nothing = { lost: [], reasons: [], notes: [], needs: [] };
  return { to: target.revision, possible: true, objects, ...nothing };
}

function hasOnlyChanges({ deletions, kept, checks = [], awaited = [], ...rest }: Plan): boolean {
  const isWhole = rest.onlyStage === undefined && rest.isPartial === undefined;
  return isWhole && [deletions, kept, checks, awaited].every((each) => each.length === 0);
}

function keyed(manifest: Restored): readonly (readonly [string, Restored])[] {
  const { object } = manifest;
  return isKubeObject(object) ? [[keyOf(idOf(object)), manifest]] : [];
}

function isChanged({ action }: Change): boolean {
  return action !== "unchanged";
}

/** Reports whether the rollback leaves the object as it is now. */
function isRestorable(
  change: Change,
  { object, stage, references }: Restored,
  { namespace, deployment }: Plan,
): boolean {
  const { id, live, action, steps, desired } = change;
  const isSameOne = live !== undefined && stage === change.stage && references === undefined;
  if (!isSameOne || !isSubset(contentOf(object), live)) return false;
  if (action === "unchanged") return true;
  const isPlain = isCoreKind(id, "ConfigMap") && id.namespace === namespace && action === "update";
  const [step, ...others] = steps;
  if (!isPlain || step?.type !== "apply" || others.length > 0) return false;
  if (!isKubeObject(object) || [object, desired].some(hasSettings)) return false;
  const after = contentAfterChange(change, deployment);
  // An immutable ConfigMap can't return to other data.
  if (after["immutable"] === true || sameJson(at(live, "data"), at(after, "data"))) return false;
  return foreignChanges(live, after, object, deployment).length === 0;
}

/** Returns the manifest without its metadata, except its labels and annotations. */
function contentOf({ metadata, ...content }: JsonObject): Json {
  const { labels, annotations } = isObject(metadata) ? metadata : {};
  const own = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...content, metadata: own };
}

/** Reports whether an annotation changes what qvs does with an object. */
function hasSettings(object: JsonObject): boolean {
  const annotations = at(object, "metadata", "annotations");
  const names = isObject(annotations) ? Object.keys(annotations) : [];
  return names.some((name) => name.startsWith(settingsPrefix));
}

const settingsPrefix = "vs.axis-dev.io/";
