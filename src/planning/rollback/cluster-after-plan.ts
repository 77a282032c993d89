import type { ApiFailure, ApiResult, FailureCause } from "../../model/cluster/api/api-failure.ts";
import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { isSubset } from "../../model/cluster/fields/immutable-fields.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import {
  combineUpstreamPlans,
  type UpstreamDeletion,
} from "../../model/deployments/other-deployments.ts";
import { parsePath } from "../../model/fields/field-path.ts";
import { at, fieldOf, isList, isObject, type Json, numberAt, sameJson } from "../../model/json.ts";
import { addressOf, idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { type Change, type Plan, recreationFields } from "../../model/plan/plan.ts";
import type { ApplyOptions, Cluster } from "../../ports/kubernetes.ts";
import { applyJsonPatch } from "../../ssa/json-patch.ts";
import { mergeLocally } from "../../ssa/merge-locally.ts";
import { predictConflicts } from "../../ssa/predict-conflicts.ts";
import { storedUpdate } from "../../ssa/stored-update.ts";

import {
  forbiddenCreation,
  forbiddenUpdates,
  hasUpdateRule,
  immutableCause,
} from "../../validation/forbidden-changes.ts";

import { projectedCluster } from "../projected-cluster.ts";
import { foreignChanges, withoutInitialValues } from "./lost-fields.ts";
import { objectAfterChange, withOwner } from "./object-after-change.ts";
import { type List, projectRollouts } from "./pods-after-plan.ts";
import { projectQuotas } from "./quotas-after-plan.ts";
import { isReview } from "./remember-answers.ts";
import { type ScaledReplicas, scaledObjects, scaleObjects } from "./replicas-after-plan.ts";

/**
 * Returns the cluster as a plan will leave it. `cluster` answers everything that the plan doesn't
 * change. No API server has these objects yet, so the merge rules and the update rules of built-in
 * kinds answer the dry runs. An object that returns to its manifest becomes the present live
 * object.
 */
export function clusterAfterPlan(
  cluster: Cluster,
  plan: Plan,
  scaling: ScaledReplicas = "within bounds",
): Cluster {
  const { deployment } = plan;
  const own = combineUpstreamPlans([{ deployment, plan }]);
  const deleted = new Map([...deletedByCluster(plan), ...own.deleted]);
  const scale = scaleObjects(plan, scaling);
  const changes = new Map([...scaledObjects(plan, scale), ...own.changes]);
  const projected = projectedCluster(cluster, { changes, deleted }, (change) => [
    scale(objectAfterChange(change, deployment)),
  ]);
  const before = new Map<string, Before>([
    ...plan.changes.map((change) => [change.key, { ...change, deployment }] as const),
    ...plan.deletions.map(({ key, live }) => [key, { live, deployment }] as const),
  ]);
  const readNow = (object: KubeObject) => projected.read(addressOf(object));
  const { shared } = projected;
  const afterRollouts = projectRollouts(plan);
  const afterPlan = (list: List) => projectQuotas(plan, list)(afterRollouts(list));
  return {
    ...projected,
    list: afterPlan(projected.list),
    shared: shared && { ...shared, list: afterPlan(shared.list) },
    apply: async (object, options) => {
      const now = await readNow(object);
      if (!now.ok) return now;
      const version = await cluster.version();
      const server = version.ok ? version.value : undefined;
      const last = before.get(keyOf(idOf(object)));
      return dryRunApply(object, now.value, { before: last, server }, options);
    },
    patch: async (address, operations) => {
      const now = await projected.read(address);
      if (!now.ok) return now;
      if (now.value === undefined)
        return rejected("not-found", 404, "the object doesn't exist", []);
      return { ok: true, value: applyJsonPatch(now.value, operations) };
    },
    create: async (object) => {
      // Reviews of permissions and Pods are the same before and after the plan.
      if (isReview(object) || object.kind === "Pod") return projected.create(object);
      return { ok: true, value: object };
    },
    replace: async (object) => ({ ok: true, value: object }),
    dryRunDelete: async () => ({ ok: true, value: undefined }),
  };
}

/**
 * Returns the objects by key that Kubernetes deletes: with their owners, or Jobs soon after they
 * finish.
 */
function deletedByCluster({
  deployment,
  changes,
  deletions,
}: Plan): ReadonlyMap<string, UpstreamDeletion> {
  const declared = new Set(changes.map(({ key }) => key));
  const along = [...changes, ...deletions].flatMap(({ live, alsoDeleted }) =>
    live === undefined ? [] : (alsoDeleted?.objects ?? []).map(({ key }) => [key, live] as const),
  );
  const products = deletions.flatMap(({ live, products: found }) =>
    (found?.objects ?? []).map((id) => [keyOf(id), live] as const),
  );
  const finished = changes
    .filter(({ desired }) => isDeletedSoon(desired))
    .map(({ key, desired }) => [key, desired] as const);
  const all = [...[...along, ...products].filter(([key]) => !declared.has(key)), ...finished];
  return new Map(all.map(([key, live]) => [key, { deployment, live }]));
}

/** The longest `ttlSecondsAfterFinished` of a Job that no longer exists before a rollback. */
const maxSoonSeconds = 3600;

function isDeletedSoon(job: KubeObject): boolean {
  const seconds = isJob(idOf(job)) ? numberAt(job, "spec", "ttlSecondsAfterFinished") : undefined;
  return seconds !== undefined && seconds <= maxSoonSeconds;
}

/** An object before the plan, and the steps of its change. */
interface Before extends Pick<Change, "live">, Partial<Pick<Change, "steps" | "desired">> {
  readonly deployment: string;
}

/** Predicts the answer to an apply of an object after the plan. */
function dryRunApply(
  object: KubeObject,
  now: KubeObject | undefined,
  { before, server }: { before: Before | undefined; server: ServerVersion | undefined },
  { fieldManager: manager, force }: ApplyOptions,
): ApiResult<KubeObject> {
  if (now === undefined) return dryRunCreate(object, before?.live);
  const conflicts = force ? [] : predictConflicts(now, object, manager);
  if (conflicts.length > 0) {
    const causes = conflicts.map(({ field, manager: other, subresource }) => ({
      reason: "FieldManagerConflict",
      field,
      message: `conflict with "${other}"${subresource === "" ? "" : ` with subresource "${subresource}"`}`,
    }));
    return rejected("conflict", 409, "Apply failed with conflicts", causes);
  }
  const next = storedUpdate(mergedObject(object, now, before, manager), object, now);
  const forbidden = forbiddenUpdates(now, next, server).filter(
    ({ field }) => !isSameDeclaration(object, before?.desired, field),
  );
  const causes = [...forbidden, ...replacedFields(now, next, before)];
  const distinct = causes.filter(
    ({ field }, index) => causes.findIndex((each) => each.field === field) === index,
  );
  return distinct.length > 0
    ? rejected("invalid", 422, "the API server would reject the update", distinct)
    : { ok: true, value: withOwner(next, object, manager) };
}

/** Predicts the answer to an apply of an object that the plan deletes or that doesn't exist. */
function dryRunCreate(object: KubeObject, live: KubeObject | undefined): ApiResult<KubeObject> {
  const causes = forbiddenCreation(object);
  return causes.length > 0
    ? rejected("invalid", 422, "the API server would reject the object", causes)
    : { ok: true, value: recreatedObject(object, live) };
}

function rejected(
  reason: ApiFailure["reason"],
  status: number,
  message: string,
  causes: readonly FailureCause[],
): { readonly ok: false; readonly failure: ApiFailure } {
  return { ok: false, failure: { reason, status, message, causes } };
}

/** Returns an object that the plan deletes and that is created again. */
function recreatedObject(object: KubeObject, live: KubeObject | undefined): KubeObject {
  if (live === undefined || !isDeclaredBy(object, live)) return object;
  const { status: _, metadata, ...content } = live;
  const { uid: _uid, resourceVersion: _version, managedFields: _owners, ...rest } = metadata;
  return { ...content, apiVersion: live.apiVersion, kind: live.kind, metadata: rest };
}

/**
 * Returns the object after the apply: the present live object, if it has exactly this manifest and
 * the plan overwrites no value of another field manager.
 */
function mergedObject(
  object: KubeObject,
  now: KubeObject,
  before: Before | undefined,
  manager: string,
): KubeObject {
  if (before?.desired !== undefined && isSameManifest(object, before.desired)) return now;
  const merged = mergeLocally(now, object, manager, { previous: before?.desired });
  if (before?.live === undefined) return merged;
  const { live, deployment } = before;
  if (foreignChanges(live, now, object, deployment).length > 0) return merged;
  if (live.apiVersion !== merged.apiVersion) return merged;
  if (!isDeclaredBy(object, live)) return merged;
  const { metadata: _, status: _status, ...content } = live;
  const { status } = now;
  const restored = { ...content, ...(status === undefined ? {} : { status }) };
  const { apiVersion, kind } = live;
  const returned = { ...restored, apiVersion, kind, metadata: merged.metadata };
  // An autoscaler keeps its number of replicas if the rollback declares none.
  if (foreignChanges(now, returned, object, deployment).length > 0) return merged;
  return withoutInitialValues(returned, merged);
}

/**
 * Reports whether the rollback declares the same value at a path as the plan. The API server stored
 * it, perhaps in another form, and the rollback doesn't change it.
 */
function isSameDeclaration(
  object: KubeObject,
  declared: KubeObject | undefined,
  path: string,
): boolean {
  const [value, before] = [object, declared].map((each) => at(each, ...path.split(".")));
  return value !== undefined && before !== undefined && sameJson(value, before);
}

/** Reports whether two manifests declare the same content, labels and annotations. */
function isSameManifest(a: KubeObject, b: KubeObject): boolean {
  const contentOf = ({ metadata: { labels = {}, annotations = {} }, ...content }: KubeObject) => {
    return { ...content, labels, annotations };
  };
  return sameJson(contentOf(a) as Json, contentOf(b) as Json);
}

/** Reports whether a live object contains everything that the manifest declares. */
function isDeclaredBy({ metadata: _, ...declared }: KubeObject, live: KubeObject): boolean {
  return isSubset(declared as Json, live);
}

/**
 * Returns the fields because of which the plan replaces the object. The API server has just shown
 * that they are immutable, also in custom kinds. For some fields of built-in kinds, this depends on
 * the object.
 */
function replacedFields(
  now: KubeObject,
  next: KubeObject,
  before: Before | undefined,
): readonly FailureCause[] {
  const fields = recreationFields(before?.steps ?? []) ?? [];
  return fields
    .filter((field) => !hasUpdateRule(now, field) && !hasSameField(now, next, field))
    .map(immutableCause);
}

/**
 * Reports whether a field has the same value in two objects. The API server can write a path that
 * qvs can't read, such as `matchLabels[example.com/name]`; the readable part in front of it decides
 * then.
 */
function hasSameField(now: KubeObject, next: KubeObject, field: string): boolean {
  const steps = readableSteps(field);
  for (let length = steps.length; length > 0; length--) {
    const [before, after] = [now, next].map((each) => valueAt(each, steps.slice(0, length)));
    // If neither has the field, its parent decides.
    if (before !== undefined || after !== undefined) return sameJson(before, after);
  }
  return false;
}

type Steps = NonNullable<ReturnType<typeof parsePath>>;

function readableSteps(field: string): Steps {
  const ends = [...field.matchAll(/[.[]|$/g)].map(({ index }) => index).toReversed();
  const steps = ends.map((end) => parsePath(field.slice(0, end)));
  return steps.find((each) => each !== undefined && each.length > 0) ?? [];
}

function valueAt(object: Json | undefined, steps: Steps): Json | undefined {
  return steps.reduce<Json | undefined>((value, step) => {
    if (step.type === "field") return isObject(value) ? fieldOf(value, step.name) : undefined;
    if (step.type === "index") return isList(value) ? value[step.index] : undefined;
    return value;
  }, object);
}
