import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  mapStrings,
  replaceValues,
} from "../model/json.ts";
import { type KubeObject, uidOf } from "../model/object.ts";
import {
  type ApplyTimeReference,
  referencesSecret,
  secretMatcher,
  setValue,
  writtenText,
} from "../model/plan/apply-time-reference.ts";
import type { AlsoDeleted, Deletion } from "../model/plan/deletion.ts";
import type { Change, ChangeAction, CheckGate, PlannedOperation } from "../model/plan/plan.ts";
import type { CapabilityAnswer } from "../model/sources/compilation.ts";
import { escapeReferences } from "../model/text/reference-text.ts";
import { redact, redactPair } from "../redaction/redact.ts";
import { type Scrubber, scrubberOf } from "../redaction/scrub.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { digestSteps } from "../ssa/steps/steps.ts";
import type { PlanRules } from "./plan-input.ts";

/**
 * Returns a text that is the same for two plans with the same operations on the same objects.
 * It contains the sent and the deleted objects, in order, without anything that the cluster changes
 * by itself. It is hashed and shown, so it contains no Secret's value.
 * The UID of a live object also identifies its cluster. A plan for one cluster is never a plan for
 * another one, whatever its objects are called.
 */
export function canonicalOperations(
  deployment: string,
  changes: readonly Change[],
  deletions: readonly Deletion[],
  { hides = [], ...checked }: Pick<PlanRules, "hides"> & CheckedPlan = {},
): string {
  const operations: Json = planOperations(changes, deletions, hides);
  return canonicalText({ format, deployment, operations, ...checksPart(checked, hides) });
}

/**
 * Returns the same digest for each operation.
 * Two plans can then be compared by their common operations. The checks are a part of each
 * operation, because an approval of it covers no operation with other checks.
 */
export function digestOperations(
  deployment: string,
  changes: readonly Change[],
  deletions: readonly Deletion[],
  { hash, hides = [], ...plan }: Pick<PlanRules, "hash" | "hides"> & CheckedPlan,
): readonly PlannedOperation[] {
  const checked = checksPart(plan, hides);
  return planOperations(changes, deletions, hides).map((operation) => ({
    key: operation.key,
    action: operation.action,
    digest: hash(canonicalText({ format, deployment, operation, ...checked })),
  }));
}

/** Returns a digest of declared objects, which contains no value of a Secret or of the cluster. */
export function digestObjects(
  changes: readonly Change[],
  { hash, hides = [] }: Pick<PlanRules, "hash" | "hides">,
): string {
  const { hide } = scrubberOf(hides);
  const objects = changes.map((change) => {
    const { object } = scrubOperation(unpredictableOperation(change), hide);
    return object ?? null;
  });
  return hash(canonicalText({ format, objects }));
}

/** The checks of a plan with those that run before objects, and the answers of the cluster. */
interface CheckedPlan extends Pick<PlanRules, "checks" | "capabilities"> {
  readonly gates?: readonly CheckGate[];
}

/**
 * Returns the checks and the answers of the cluster. A plan without them has the same digest as in
 * earlier versions.
 */
function checksPart(
  { checks = [], gates = [], capabilities }: CheckedPlan,
  hides: readonly string[],
): { readonly checks?: Json; readonly gates?: Json; readonly capabilities?: Json } {
  const asked = scrubAnswers(capabilities, hides).map((each) => ({ ...each }));
  const answers = asked.length === 0 ? {} : { capabilities: asked };
  if (checks.length === 0) return answers;
  const { hide } = scrubberOf(hides);
  return {
    ...answers,
    checks: mapStrings(JSON.parse(JSON.stringify(checks)) as Json, hide),
    ...(gates.length === 0 ? {} : { gates: gates.map(({ key, before }) => ({ key, before })) }),
  };
}

/** Returns the answers of the cluster without secrets: a chart can ask for any text. */
export function scrubAnswers(
  capabilities: PlanRules["capabilities"] = [],
  hides: readonly string[] = [],
): readonly CapabilityAnswer[] {
  if (capabilities.length === 0) return [];
  const { hide } = scrubberOf(hides);
  return capabilities.map(({ question, answer }) => ({
    question: hide(question),
    answer: hide(answer),
  }));
}

const format = 3;

type Operation = JsonObject & Pick<PlannedOperation, "key" | "action">;

function planOperations(
  changes: readonly Change[],
  deletions: readonly Deletion[],
  hides: readonly string[],
): readonly Operation[] {
  const hide = hides.length === 0 ? undefined : scrubberOf(hides).hide;
  return [
    ...changes
      .filter(
        (change) =>
          change.action !== "unchanged" || isUnpredictable(change) || change.hook !== undefined,
      )
      .map((change) =>
        isUnpredictable(change) ? unpredictableOperation(change) : changeOperation(change),
      )
      .map((operation) => scrubOperation(operation, hide)),
    ...deletions.map(deleteOperation),
  ];
}

function deleteOperation({ key, stage, uid, alsoDeleted, contents }: Deletion): Operation {
  const held = contents?.objects.map((object) => object.key) ?? [];
  return { action: "delete", key, stage, uid, ...alsoDeletedPart(alsoDeleted, held) };
}

/**
 * Returns the objects that Kubernetes deletes with it.
 * They count because the user who approved the plan must have seen them.
 */
function alsoDeletedPart(
  { objects }: AlsoDeleted = { objects: [] },
  held: readonly string[] = [],
): JsonObject {
  const takes = [...new Set([...objects.map(({ key }) => key), ...held])].toSorted();
  return takes.length === 0 ? {} : { takes };
}

/** Hides secret strings, because a parameter can put a secret into any object. */
function scrubOperation(operation: Operation, hide: Scrubber["hide"] | undefined): Operation {
  const { object } = operation;
  if (hide === undefined || object === undefined) return operation;
  const hidden = (value: Json): Json => {
    if (typeof value === "string") return hide(value);
    if (isList(value)) return value.map(hidden);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(inner)]));
  };
  return { ...operation, object: hidden(object) };
}

function changeOperation(change: Change): Operation {
  const { key, stage, steps, desired, live } = change;
  const action = change.action as Exclude<ChangeAction, "unchanged">;
  return {
    action,
    key,
    stage,
    ...uidPart(live),
    ...digestSteps(steps),
    ...alsoDeletedPart(change.alsoDeleted),
    ...hookPart(change),
    object: canContainSecrets(desired)
      ? redactValues(unpinned(desired), live)
      : withWrittenReferences(maskKept(unpinned(desired), change), change.applyTimeReferences),
  };
}

/**
 * Returns the parts that distinguish a hook. Its action includes its deletion, so that no approval
 * of an object's change approves it. A hook that doesn't run again is only deleted.
 */
function hookPart({ hook, action }: Change): JsonObject & Partial<Pick<Operation, "action">> {
  if (hook === undefined) return {};
  return { action: action === "unchanged" ? "delete" : "hook", hook: hook.event, run: action };
}

function uidPart(live: KubeObject | undefined): { readonly uid?: string } {
  const uid = live === undefined ? "" : uidOf(live);
  return uid === "" ? {} : { uid };
}

/** Reports whether a preview can't predict the change, so that no prediction counts. */
function isUnpredictable({ dryRunSkipped, applyTimeReferences }: Change): boolean {
  return dryRunSkipped !== undefined || referencesSecret(applyTimeReferences);
}

function unpredictableOperation(change: Change): Operation {
  const { key, stage, desired, live } = change;
  const object = unpinned(desired);
  return {
    action: live === undefined ? "create" : "known after deploy",
    key,
    stage,
    ...uidPart(live),
    // A preview that didn't predict the recreation didn't show the objects that Kubernetes deletes
    // with it.
    ...(change.action === "replace" ? { recreates: true } : {}),
    ...alsoDeletedPart(change.alsoDeleted),
    ...hookPart(change),
    object: canContainSecrets(desired)
      ? redact(object)
      : withWrittenReferences(maskKept(object, change), change.applyTimeReferences),
  };
}

/**
 * Returns the object with its references as written.
 * Their values belong to the cluster or to a Secret.
 */
function withWrittenReferences(
  object: JsonObject,
  late: readonly ApplyTimeReference[] = [],
): JsonObject {
  return late.reduce(
    (whole, { path, pieces }) => setValue(whole, path, writtenText(pieces)),
    escapeReferences(object),
  );
}

/** Replaces kept values, because they belong to the cluster, too, and can be a Secret's. */
function maskKept(object: JsonObject, change: Change): JsonObject {
  const { ignoredSecretFields: kept = [], previousSecretValues = [], manifestStrings } = change;
  const places = new Set(kept.map(({ path }) => JSON.stringify(path)));
  const isHidden = secretMatcher({
    ignoredSecretFields: kept,
    previousSecretValues,
    manifestStrings,
  });
  if (kept.length + previousSecretValues.length === 0) return object;
  return replaceValues(object, (value, path) =>
    places.has(JSON.stringify(path)) || isHidden(value) ? "(kept)" : undefined,
  );
}

function unpinned(desired: KubeObject): JsonObject {
  const { resourceVersion: _version, ...metadata } = desired.metadata;
  return { ...desired, metadata };
}

/**
 * Redacts the values, so that only the fact of a change counts.
 * Even a hash would let a reader test guesses of a short password.
 */
function redactValues(desired: JsonObject, live: JsonObject | undefined): Json {
  return redactPair(live, desired, { declared: desired }).after ?? null;
}

/** Returns JSON with the fields of every object sorted: the same text for the same data. */
function canonicalText(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(fieldOf(value, name) as Json)]));
}
