import { deploymentLabel } from "../../src/model/annotations.ts";
import { containsKnownAfterDeploy } from "../../src/model/apply-time-reference.ts";
import { at, type Json, type JsonObject, sameJson, textAt } from "../../src/model/json.ts";
import {
  addressOf,
  groupOf,
  type KubeObject,
  keyOf,
  label,
  nameOf,
  uidOf,
} from "../../src/model/object.ts";
import type { Change } from "../../src/model/plan.ts";
import type { Finding } from "../../src/model/problems/finding.ts";
import { leafEntries } from "../../src/model/trace.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { allocatedPlaceholder } from "../../src/ssa/allocated-values.ts";
import type { ForetoldReport } from "./foretell.ts";

/** How much of what a preview said came true. */
export interface Accuracy {
  objects: { right: number; all: number };
  fields: { right: number; all: number };
  refusals: { right: number; all: number };
  /** What the server warned of, each of each object. */
  warnings: { right: number; all: number };
  /** One line for each thing that was said and did not happen, or happened unsaid. */
  readonly wrong: string[];
}

export function nothingCompared(): Accuracy {
  const none = () => ({ right: 0, all: 0 });
  return { objects: none(), fields: none(), refusals: none(), warnings: none(), wrong: [] };
}

/** Whether it was refused before anything was changed, as foretold or not. */
export function compareRefusal(
  { blockers, plan }: ForetoldReport,
  { wasRefused, why }: { readonly wasRefused: boolean; readonly why: string },
  accuracy: Accuracy,
): void {
  // That another commit is newer, or that deployments are frozen, is told to whoever previews; only a deployment is refused for it.
  const isHeldBack = plan?.notices.some(({ code }) => holdingBack.has(code)) ?? false;
  const wasPredicted = blockers.length > 0 || (isHeldBack && wasRefused);
  if (!wasPredicted && !wasRefused) return;
  // Of what could not be asked a preview has said just that.
  const unasked = plan?.changes.filter(({ certainty }) => certainty.by === "unchecked") ?? [];
  if (!wasPredicted && unasked.some(({ id }) => why.includes(nameOf(id)))) return;
  const said = blockers.map(({ what }) => what).join("; ");
  const wrong = wasPredicted
    ? `predicted, but not rejected: ${said}`
    : `rejected, but not predicted: ${why}`;
  count(accuracy, "refusals", wasPredicted === wasRefused, wrong);
}

const holdingBack: ReadonlySet<string> = new Set(["older-commit", "deployments-frozen"]);

/** Each object that a preview says is refused: whether the server refuses it as well. */
export async function compareRefused(
  changes: readonly Change[],
  send: (changes: readonly Change[]) => Promise<Sent>,
  accuracy: Accuracy,
): Promise<void> {
  if (changes.length === 0) return;
  const { names } = await send(changes);
  for (const { id } of changes) {
    const name = nameOf(id);
    const isTaken = names.includes(name);
    count(
      accuracy,
      "refusals",
      !isTaken,
      `${name}: predicted as rejected, but the API server accepts it`,
    );
  }
}

interface Sent {
  /** Of what the server took. */
  readonly names: readonly string[];
}

/**
 * What happened to each object of the plan, and every field of those that were written. Where only a part was carried out, an object may
 * also be as it was.
 */
export async function compareObjects(
  { plan, findings = [] }: ForetoldReport,
  cluster: Cluster,
  accuracy: Accuracy,
  carriedOut: "all" | "a part" = "all",
): Promise<void> {
  const keysOf = (code: Finding["code"]) =>
    findings
      .filter((finding) => finding.code === code)
      .map(({ object }) => keyOf({ ...object, group: groupOf(object.apiVersion) }));
  // Of what is to go again at once, when is a matter of moments.
  const collected = keysOf("owner-missing");
  // The finding says that a Job that still runs at the time limit is kept.
  const running = keysOf("job-running");
  for (const change of plan?.changes ?? []) {
    if (collected.includes(change.key)) continue;
    const now = await liveNow(cluster, change.desired);
    const others = now === undefined ? "" : fieldsOfOthers(now, change.live);
    const happened = whatHappened(change, now, others);
    if (isOfOwnersUnasked(change) || hasExpired(change, now)) continue;
    const expected = isOfOwnersOnly(change) ? "unchanged" : change.action;
    const name = nameOf(change.id);
    const steps = change.steps.map(({ type }) => type).join(", ");
    if (carriedOut === "a part" && (isAsItWas(happened) || isByOthers(change, now))) continue;
    if (carriedOut === "a part" && isLeaving(change, now)) continue;
    const wrong = `${name}: ${expected} by ${steps} (${change.certainty.by}), but ${happened}`;
    count(accuracy, "objects", happened === expected, wrong);
    if (now !== undefined && change.action !== "unchanged")
      compareFields(change, now, accuracy, others);
  }
  for (const { key, live, id } of plan?.deletions ?? []) {
    const now = await liveNow(cluster, live);
    if (now !== undefined && (carriedOut === "a part" || running.includes(key))) continue;
    const isGone = now === undefined || uidOf(now) !== uidOf(live);
    count(accuracy, "objects", isGone, `${nameOf(id)}: delete, but it is there`);
  }
  for (const { key, id } of plan?.kept ?? []) {
    const object = { apiVersion: id.group === "" ? "v1" : "", kind: id.kind, metadata: {} };
    if (object.apiVersion === "") continue;
    const now = await cluster.read({
      ...addressOf(object),
      namespace: id.namespace,
      name: id.name,
    });
    count(accuracy, "objects", now.ok && now.value !== undefined, `${key}: keep, but it is gone`);
  }
}

/** Reports whether the cluster has deleted a finished Job, or is deleting it. */
function hasExpired({ desired }: Change, now: KubeObject | undefined): boolean {
  const expires = at(desired, "spec", "ttlSecondsAfterFinished") !== undefined;
  const isLeft = now !== undefined && textAt(now, "metadata", "deletionTimestamp") === undefined;
  return expires && !isLeft;
}

/** A deletion of what is to be recreated is a part of that. */
function isAsItWas(happened: string): boolean {
  return happened === "nothing" || happened === "unchanged" || happened === "delete";
}

/** The deletion of what is to be recreated has begun, and takes longer than the deployment waited. */
function isLeaving({ action }: Change, now: KubeObject | undefined): boolean {
  return action === "replace" && now?.metadata["deletionTimestamp"] !== undefined;
}

/** Somebody has put another object in its place meanwhile, which is why the deployment failed. */
function isByOthers({ live }: Change, now: KubeObject | undefined): boolean {
  return (
    now !== undefined &&
    uidOf(now) !== live?.metadata.uid &&
    label(now, deploymentLabel) === undefined
  );
}

function compareFields(change: Change, now: KubeObject, accuracy: Accuracy, others: string): void {
  const predicted = change.predicted;
  // What nobody could be asked about says so, and tells only what is declared.
  if (predicted === undefined) return;
  const before = fieldsOf(change.live);
  const [said, is] = [fieldsOf(predicted), fieldsOf(now)];
  for (const path of new Set([...said.keys(), ...is.keys()])) {
    const [was, expected, happened] = [before.get(path), said.get(path), is.get(path)];
    if (sameJson(was, expected) && sameJson(was, happened)) continue;
    if (isOfOthers(path, others) || generated.test(path)) continue;
    if (path.startsWith("metadata.ownerReferences.") && !declaresOwners(change)) continue;
    // That it is known only later is said, and neither right nor wrong.
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

/** Of those that others have set, the garbage collector takes away the ones that are gone, as long as another one is there. */
function declaresOwners({ desired }: Change): boolean {
  return desired.metadata["ownerReferences"] !== undefined;
}

async function liveNow(cluster: Cluster, object: KubeObject): Promise<KubeObject | undefined> {
  const answer = await cluster.read(addressOf(object));
  return answer.ok ? answer.value : undefined;
}

/** What the server makes up for each Job and Pod. */
const generated = /controller-uid|^spec\.(volumes|containers\.\d+\.volumeMounts)\.\d+\.name$/;

/** Controllers of the tests may do so within the second that the server records. */
const mayWriteAgain = /^(kube-|kwok|rollouts-controller)/;

/** What controllers have written since, in the form of `managedFields`. What is as it was before they have not written. */
function fieldsOfOthers(now: KubeObject, before: KubeObject | undefined): string {
  const earlier = new Set(before && ownersIn(before).map(writeOf));
  const others = ownersIn(now).filter(
    (entry) =>
      !String(entry["manager"]).startsWith("qvs-") &&
      (mayWriteAgain.test(String(entry["manager"])) || !earlier.has(writeOf(entry))),
  );
  // The scheduler binds by a subresource that leaves no entry.
  return `${JSON.stringify(others.map(({ fieldsV1 }) => fieldsV1 ?? null))}"f:nodeName"`;
}

function ownersIn({ metadata }: KubeObject): readonly JsonObject[] {
  return (metadata["managedFields"] ?? []) as readonly JsonObject[];
}

/** A write that the server has recorded; what of it is still its own may have changed. */
function writeOf({ fieldsType: _, fieldsV1: __, ...write }: JsonObject): string {
  return JSON.stringify(Object.entries(write).sort());
}

function isOfOthers(path: string, others: string): boolean {
  const names = path.split(".").filter((step) => !/^\d+$/.test(step));
  return names.some((_, index) => {
    const name = `"f:${names.slice(index).join(".")}"`;
    // A map or a list of which only the whole is owned.
    return others.includes(name) || others.includes(`"f:${names[index]}":{}`);
  });
}

function whatHappened(
  { live: before, predicted }: Change,
  now: KubeObject | undefined,
  others: string,
): string {
  if (before === undefined) return now === undefined ? "nothing" : "create";
  if (now === undefined) return "delete";
  if (uidOf(before) !== uidOf(now)) return "replace";
  // A definition that has a new default shows it in objects that nobody has written since.
  if (before.metadata["resourceVersion"] === now.metadata["resourceVersion"]) return "unchanged";
  const [was, said, is] = [fieldsOf(before), fieldsOf(predicted), fieldsOf(now)];
  const differing = [...new Set([...was.keys(), ...is.keys()])].filter((path) => {
    if (sameJson(was.get(path), is.get(path))) return false;
    const matchesPrediction = predicted !== undefined && sameJson(said.get(path), is.get(path));
    return !isOfOthers(path, others) || matchesPrediction;
  });
  return differing.length === 0 ? "unchanged" : "update";
}

/** What can't be tried since its owners are rewritten first: the preview says so, and foretells no value. */
function isOfOwnersUnasked({ steps, predicted }: Change): boolean {
  return predicted === undefined && steps.some(({ type }) => type === "migrate-api-version");
}

/** An update that changes no value, only whose they are. */
function isOfOwnersOnly({ action, live, predicted }: Change): boolean {
  if (action !== "update" || live === undefined || predicted === undefined) return false;
  return sameJson(significant(live), significant(predicted));
}

function fieldsOf(object: KubeObject | undefined): ReadonlyMap<string, Json> {
  if (object === undefined) return new Map();
  const leaves = leafEntries(significant(object));
  return new Map(leaves.map(([path, value]) => [path.join("."), value]));
}

const written = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
];

/** The last two are where autoscaling/v1 has what became its status. */
const ofControllers =
  /^((deployment|rollout|argo-rollouts)\.(kubernetes|argoproj)\.io\/|autoscaling\.alpha\.kubernetes\.io\/(conditions|current-metrics)$)/;

/** What controllers write afterwards is no part of a deployment. */
function significant({ metadata, status: _, ...rest }: KubeObject): JsonObject {
  const annotations = Object.entries((metadata["annotations"] ?? {}) as JsonObject);
  const kept = Object.entries(metadata).filter(([name]) => !written.includes(name));
  const own = annotations.filter(([name]) => !ofControllers.test(name));
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
