import { deploymentLabel } from "../../src/model/annotations.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../../src/model/json.ts";
import {
  addressOf,
  groupOf,
  type KubeObject,
  keyOf,
  label,
  nameOf,
  uidOf,
} from "../../src/model/object.ts";
import { containsKnownAfterDeploy } from "../../src/model/plan/apply-time-reference.ts";
import type { Change } from "../../src/model/plan/plan.ts";
import type { Finding } from "../../src/model/problems/finding.ts";
import { leafEntries } from "../../src/model/sources/trace.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { allocatedPlaceholder } from "../../src/ssa/allocated-values.ts";
import type { PredictedReport } from "./predict.ts";

/** Counts how many predictions of a preview came true. */
export interface Accuracy {
  objects: { right: number; all: number };
  fields: { right: number; all: number };
  refusals: { right: number; all: number };
  /** The warnings of the API server, one for each object. */
  warnings: { right: number; all: number };
  /** Predicted rollbacks that were compared with the plan of the real rollback. */
  readonly rollbacks: { right: number; all: number; unknown: number; readonly wrong: string[] };
  /** One line for each prediction that didn't happen, and for each event that wasn't predicted. */
  readonly wrong: string[];
}

export function nothingCompared(): Accuracy {
  const none = () => ({ right: 0, all: 0 });
  const rollbacks = { ...none(), unknown: 0, wrong: [] };
  return {
    objects: none(),
    fields: none(),
    refusals: none(),
    warnings: none(),
    rollbacks,
    wrong: [],
  };
}

/** Compares whether the command was rejected before any change with the prediction. */
export function compareRefusal(
  { blockers, plan }: PredictedReport,
  { wasRefused, why }: { readonly wasRefused: boolean; readonly why: string },
  accuracy: Accuracy,
): void {
  // A preview shows a notice about a newer commit or a freeze. Only the deployment itself is
  // rejected for it.
  const isBlockedNow = plan?.notices.some(({ code }) => deployOnlyCodes.has(code)) ?? false;
  const wasPredicted = blockers.length > 0 || (isBlockedNow && wasRefused);
  if (!wasPredicted && !wasRefused) return;
  // The preview marked these objects as unchecked.
  const unchecked = plan?.changes.filter(({ certainty }) => certainty.by === "unchecked") ?? [];
  if (!wasPredicted && unchecked.some(({ id }) => why.includes(nameOf(id)))) return;
  const predictions = blockers.map(({ what }) => what).join("; ");
  const wrong = wasPredicted
    ? `predicted, but not rejected: ${predictions}`
    : `rejected, but not predicted: ${why}`;
  count(accuracy, "refusals", wasPredicted === wasRefused, wrong);
}

const deployOnlyCodes: ReadonlySet<string> = new Set(["older-commit", "deployments-frozen"]);

/** Checks that the API server also rejects each object whose rejection the preview predicted. */
export async function compareRefused(
  changes: readonly Change[],
  send: (changes: readonly Change[]) => Promise<Sent>,
  accuracy: Accuracy,
): Promise<void> {
  if (changes.length === 0) return;
  const { names } = await send(changes);
  for (const { id } of changes) {
    const name = nameOf(id);
    const isAccepted = names.includes(name);
    count(
      accuracy,
      "refusals",
      !isAccepted,
      `${name}: predicted as rejected, but the API server accepts it`,
    );
  }
}

interface Sent {
  /** The names of the objects that the API server accepted. */
  readonly names: readonly string[];
}

/**
 * Compares the outcome for each object of the plan, and every field of the written objects. If only
 * a part of the plan was carried out, an object can also be unchanged.
 */
export async function compareObjects(
  { plan, findings = [] }: PredictedReport,
  cluster: Cluster,
  accuracy: Accuracy,
  carriedOut: "all" | "a part" = "all",
): Promise<void> {
  const keysOf = (code: Finding["code"]) =>
    findings
      .filter((finding) => finding.code === code)
      .map(({ object }) => keyOf({ ...object, group: groupOf(object.apiVersion) }));
  // The garbage collector deletes these objects soon, but at an unknown time.
  const collected = keysOf("owner-missing");
  // The finding reports that a Job that is still running at the time limit is kept.
  const running = keysOf("job-running");
  for (const change of plan?.changes ?? []) {
    if (collected.includes(change.key)) continue;
    const now = await readLive(cluster, change.desired);
    // A deletion that is carried out runs its hooks, and then deletes them.
    if (change.hook !== undefined) {
      const wrong = `${nameOf(change.id)}: hook, but it exists`;
      if (carriedOut === "all") count(accuracy, "objects", now === undefined, wrong);
      continue;
    }
    const others = now === undefined ? "" : fieldsOfOthers(now, change.live);
    const happened = outcome(change, now, others);
    if (isUncheckedMigration(change) || hasExpired(change, now)) continue;
    const expected = changesOwnersOnly(change) ? "unchanged" : change.action;
    const name = nameOf(change.id);
    const steps = change.steps.map(({ type }) => type).join(", ");
    if (carriedOut === "a part" && (isUnchanged(happened) || wasReplaced(change, now))) continue;
    if (carriedOut === "a part" && isBeingDeleted(change, now)) continue;
    const wrong = `${name}: ${expected} by ${steps} (${change.certainty.by}), but ${happened}`;
    count(accuracy, "objects", happened === expected, wrong);
    if (now !== undefined && change.action !== "unchanged")
      compareFields(change, now, accuracy, others);
  }
  for (const { key, live, id } of plan?.deletions ?? []) {
    const now = await readLive(cluster, live);
    if (now !== undefined && (carriedOut === "a part" || running.includes(key))) continue;
    const isDeleted = now === undefined || uidOf(now) !== uidOf(live);
    count(accuracy, "objects", isDeleted, `${nameOf(id)}: delete, but it exists`);
  }
  for (const { key, id } of plan?.kept ?? []) {
    const object = { apiVersion: id.group === "" ? "v1" : "", kind: id.kind, metadata: {} };
    if (object.apiVersion === "") continue;
    const now = await cluster.read({
      ...addressOf(object),
      namespace: id.namespace,
      name: id.name,
    });
    count(
      accuracy,
      "objects",
      now.ok && now.value !== undefined,
      `${key}: keep, but it was deleted`,
    );
  }
}

/** Reports whether the cluster has deleted a finished Job, or is deleting it. */
function hasExpired({ desired }: Change, now: KubeObject | undefined): boolean {
  const expires = at(desired, "spec", "ttlSecondsAfterFinished") !== undefined;
  const isLeft = now !== undefined && textAt(now, "metadata", "deletionTimestamp") === undefined;
  return expires && !isLeft;
}

/**
 * Reports whether the object is unchanged. The deletion before a recreation counts as unchanged.
 */
function isUnchanged(happened: string): boolean {
  return happened === "nothing" || happened === "unchanged" || happened === "delete";
}

/**
 * Reports whether the deletion before a recreation has begun. It takes longer than the deployment
 * waited.
 */
function isBeingDeleted({ action }: Change, now: KubeObject | undefined): boolean {
  return action === "replace" && now?.metadata["deletionTimestamp"] !== undefined;
}

/**
 * Reports whether another user has replaced the object during the run, which made the deployment
 * fail.
 */
function wasReplaced({ live }: Change, now: KubeObject | undefined): boolean {
  return (
    now !== undefined &&
    uidOf(now) !== live?.metadata.uid &&
    label(now, deploymentLabel) === undefined
  );
}

function compareFields(change: Change, now: KubeObject, accuracy: Accuracy, others: string): void {
  const predicted = change.predicted;
  // The preview marks this object as unchecked, and shows only its declared fields.
  if (predicted === undefined) return;
  const before = fieldsOf(change.live);
  const [expectedFields, is] = [fieldsOf(predicted), fieldsOf(now)];
  for (const path of new Set([...expectedFields.keys(), ...is.keys()])) {
    const [was, expected, happened] = [before.get(path), expectedFields.get(path), is.get(path)];
    if (sameJson(was, expected) && sameJson(was, happened)) continue;
    if (isOwnedByOthers(path, others) || generated.test(path)) continue;
    if (path.startsWith("metadata.ownerReferences.") && !declaresOwners(change)) continue;
    // The preview shows that the value is known only after the deployment. That counts neither as
    // right nor as wrong.
    if (
      expected === allocatedPlaceholder ||
      (expected !== undefined && containsKnownAfterDeploy(expected))
    )
      continue;
    const isRight = sameJson(expected, happened);
    const texts = [expected, happened].map((value) => JSON.stringify(value) ?? "nothing");
    count(accuracy, "fields", isRight, `${nameOf(change.id)} ${path}: ${texts.join(", but ")}`);
  }
}

/**
 * Reports whether the manifest declares owner references. If others set them, the garbage collector
 * removes the references to deleted owners while another owner exists.
 */
function declaresOwners({ desired }: Change): boolean {
  return desired.metadata["ownerReferences"] !== undefined;
}

export async function readLive(
  cluster: Cluster,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  const answer = await cluster.read(addressOf(object));
  return answer.ok ? answer.value : undefined;
}

/** Fields whose values the API server generates for each Job and Pod. */
const generated = /controller-uid|^spec\.(volumes|containers\.\d+\.volumeMounts)\.\d+\.name$/;

/**
 * Field managers that can write again within the same second, because the API server records times
 * in seconds.
 */
const canWriteAgain = /^(kube-|kwok|rollouts-controller)/;

/**
 * Returns the fields that controllers have written since then, in the format of `managedFields`.
 * Excludes entries that are unchanged.
 */
function fieldsOfOthers(now: KubeObject, before: KubeObject | undefined): string {
  const earlier = new Set(before && managedFields(before).map(writeIdentity));
  const others = managedFields(now).filter(
    (entry) =>
      !String(entry["manager"]).startsWith("qvs-") &&
      (canWriteAgain.test(String(entry["manager"])) || !earlier.has(writeIdentity(entry))),
  );
  // The scheduler binds a Pod through a subresource, which leaves no entry.
  return `${JSON.stringify(others.map(comparedFields))}"f:nodeName"`;
}

/** Leaves out the status, whose fields can have the same names as those of the spec. */
function comparedFields({ fieldsV1 }: JsonObject): JsonObject {
  const { "f:status": _, ...compared } = isObject(fieldsV1) ? fieldsV1 : {};
  return compared;
}

function managedFields({ metadata }: KubeObject): readonly JsonObject[] {
  return (metadata["managedFields"] ?? []) as readonly JsonObject[];
}

/**
 * Returns the identity of a recorded write, without its fields: another manager might own some of
 * them now.
 */
function writeIdentity({ fieldsType: _, fieldsV1: __, ...write }: JsonObject): string {
  return JSON.stringify(Object.entries(write).sort());
}

/** Lists the fields that differ, except those that controllers have written since then. */
export function changedFields(before: KubeObject, now: KubeObject): readonly string[] {
  const [was, is] = [fieldsOf(before), fieldsOf(now)];
  const others = fieldsOfOthers(now, before);
  return [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => !sameJson(was.get(path), is.get(path)) && !isOwnedByOthers(path, others),
  );
}

function isOwnedByOthers(path: string, others: string): boolean {
  const names = path.split(".").filter((step) => !/^\d+$/.test(step));
  return names.some((_, index) => {
    const name = `"f:${names.slice(index).join(".")}"`;
    // An object or list that is owned only as a whole.
    return others.includes(name) || others.includes(`"f:${names[index]}":{}`);
  });
}

function outcome(
  { live: before, predicted }: Change,
  now: KubeObject | undefined,
  others: string,
): string {
  if (before === undefined) return now === undefined ? "nothing" : "create";
  if (now === undefined) return "delete";
  if (uidOf(before) !== uidOf(now)) return "replace";
  // A new default in a CustomResourceDefinition appears in objects without a write.
  if (before.metadata["resourceVersion"] === now.metadata["resourceVersion"]) return "unchanged";
  const [was, expectedFields, is] = [fieldsOf(before), fieldsOf(predicted), fieldsOf(now)];
  const differing = [...new Set([...was.keys(), ...is.keys()])].filter((path) => {
    if (sameJson(was.get(path), is.get(path))) return false;
    const matchesPrediction =
      predicted !== undefined && sameJson(expectedFields.get(path), is.get(path));
    return !isOwnedByOthers(path, others) || matchesPrediction;
  });
  return differing.length === 0 ? "unchanged" : "update";
}

/**
 * Reports whether the object couldn't be dry-run, because its owners are migrated first. The
 * preview reports this and predicts no value.
 */
function isUncheckedMigration({ steps, predicted }: Change): boolean {
  return predicted === undefined && steps.some(({ type }) => type === "migrate-api-version");
}

/** Reports whether an update changes only the owners of fields, and no value. */
function changesOwnersOnly({ action, live, predicted }: Change): boolean {
  if (action !== "update" || live === undefined || predicted === undefined) return false;
  return sameJson(declaredPart(live), declaredPart(predicted));
}

function fieldsOf(object: KubeObject | undefined): ReadonlyMap<string, Json> {
  if (object === undefined) return new Map();
  const leaves = leafEntries(declaredPart(object));
  return new Map(leaves.map(([path, value]) => [path.join("."), value]));
}

const serverFields = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
];

/**
 * Annotations that controllers write. The last two contain fields that are in the status since
 * autoscaling/v2.
 */
const controllerAnnotations =
  /^((deployment|rollout|argo-rollouts)\.(kubernetes|argoproj)\.io\/|autoscaling\.alpha\.kubernetes\.io\/(conditions|current-metrics)$)/;

/** Returns the object without the fields that controllers write after a deployment. */
function declaredPart({ metadata, status: _, ...rest }: KubeObject): JsonObject {
  const annotations = Object.entries((metadata["annotations"] ?? {}) as JsonObject);
  const kept = Object.entries(metadata).filter(([name]) => !serverFields.includes(name));
  const own = annotations.filter(([name]) => !controllerAnnotations.test(name));
  const others = kept.filter(([name]) => name !== "annotations");
  return {
    ...rest,
    metadata: {
      ...Object.fromEntries(others),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    },
  };
}

export function count(
  accuracy: Accuracy,
  what: "objects" | "fields" | "refusals" | "warnings",
  isRight: boolean,
  wrong: string,
): void {
  accuracy[what].all++;
  if (isRight) accuracy[what].right++;
  else accuracy.wrong.push(wrong);
}
