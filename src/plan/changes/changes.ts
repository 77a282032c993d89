import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { parseIgnoredPaths } from "../../model/ignore-paths.ts";
import { isObject, type JsonObject, textAt } from "../../model/json.ts";
import { appliedBy } from "../../model/managed-fields.ts";
import { annotation, type KubeObject, nameOfKey, withMetadata } from "../../model/object.ts";
import {
  type Certainty,
  type Change,
  type ChangeAction,
  fieldManager,
  type PlannedAdoption,
} from "../../model/plan.ts";
import type { Problem } from "../../model/problem.ts";
import { sameJson } from "../../model/same-json.ts";
import { awaitedFoundation, awaitedValue, isProvenUnchanged } from "../cluster-reads.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { Graph } from "../order/graph.ts";
import { planAdoption, planAdoptionUnasked } from "../ownership/planned-adoption.ts";
import type { PlanInput } from "../plan-input.ts";
import type { DryRunFailure } from "../prediction.ts";
import { problemsOfDryRun, showable } from "./dry-run-problems.ts";
import type { ObjectProblem } from "./gather-alike.ts";
import { asMadeAnew } from "./replacement.ts";

export interface PlannedChange {
  readonly change: Change;
  readonly problems: readonly ObjectProblem[];
}

interface Verdict {
  readonly action: ChangeAction;
  readonly predicted?: KubeObject;
  readonly certainty: Certainty;
  readonly adopts?: PlannedAdoption | undefined;
  readonly problems?: readonly ObjectProblem[];
}

/** What becomes of one declared object, and what stands in its way. */
export function planChange(desired: DesiredObject, input: PlanInput): PlannedChange {
  const live = input.live.get(desired.key);
  assertIgnored(desired, live);
  assertSettled(desired);
  const verdict = judge(desired, live, input);
  const { action, predicted, certainty, problems } = verdict;
  const { key, id, stage, resource } = desired;
  const { object, late } = action === "replace" ? asMadeAnew(desired) : desired;
  return {
    change: {
      key,
      id,
      stage,
      resource,
      action,
      desired: action === "update" ? pinned(object, desired.ignoring?.resourceVersion) : object,
      live,
      predicted,
      certainty,
      after: input.edges.get(key) ?? [],
      ...(verdict.adopts === undefined ? {} : { adopts: verdict.adopts }),
      ...(action === "update" ? keptIn(desired) : {}),
      ...(action === "update" ? stepsBefore(key, input) : {}),
      ...(late === undefined ? {} : { late }),
      ...(desired.keptSecrets === undefined ? {} : { keptSecrets: desired.keptSecrets }),
      ...(desired.formerSecrets === undefined ? {} : { formerSecrets: desired.formerSecrets }),
    },
    problems: problems ?? [],
  };
}

function keptIn({ ignoring }: DesiredObject): Pick<Change, "keeps"> {
  return ignoring?.resourceVersion === undefined ? {} : { keeps: ignoring.paths };
}

/** What is done about the live object; one that is made anew needs none of it. */
function stepsBefore(
  key: string,
  { foreseen }: PlanInput,
): Pick<Change, "forces" | "clears" | "renews"> {
  const forces = foreseen.forces.get(key) ?? [];
  const clears = foreseen.clears.get(key);
  const renews = foreseen.renews.get(key);
  return {
    ...(forces.length === 0 ? {} : { forces }),
    ...(clears === undefined ? {} : { clears }),
    ...(renews === undefined ? {} : { renews }),
  };
}

/** Without that step a value that somebody else manages would be turned back, so forgetting it must not go unseen. */
function assertIgnored({ key, object, ignoring }: DesiredObject, live: KubeObject | undefined) {
  const paths = annotation(object, ignoreChangesAnnotation) ?? "";
  if (live === undefined || ignoring !== undefined || parseIgnoredPaths(paths).length === 0) return;
  throw new Error(`ignoreChanges was not called for ${key}`);
}

/** A token must never be sent. */
function assertSettled({ key, references, late }: DesiredObject) {
  if (references !== undefined && late === undefined) {
    throw new Error(`settleLateTexts was not called for ${key}`);
  }
}

function pinned(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  if (resourceVersion === undefined) return object;
  return withMetadata(object, { resourceVersion });
}

function judge(desired: DesiredObject, live: KubeObject | undefined, input: PlanInput): Verdict {
  if (live !== undefined && isProvenUnchanged(input.deployment, desired, live)) {
    return { action: "unchanged", certainty: { by: "comparison" } };
  }
  const action = live === undefined ? "create" : "update";
  const awaited = awaitedValue(desired);
  if (awaited !== undefined) {
    const reason = `depends on a value of ${nameOfKey(awaited)} that is known after deploy`;
    return { action, certainty: unchecked(reason) };
  }
  const prediction = input.foreseen.predictions.get(desired.key);
  if (prediction === undefined) {
    const foundation = awaitedFoundation(desired, input.edges, input.live);
    if (foundation === undefined) return { action, certainty: { by: "comparison" } };
    const reason = `${nameOfKey(foundation)} is created by this same deployment`;
    return { action, certainty: unchecked(reason) };
  }
  if (!prediction.ok) {
    const anew = input.foreseen.replacements.get(desired.key);
    if (anew?.ok) {
      const predicted = underItsName(anew.value, desired);
      return { action: "replace", predicted, certainty: { by: "server" } };
    }
    const renews = input.foreseen.renews.get(desired.key);
    if (renews !== undefined && live !== undefined) {
      const reason = `the owners of its fields are recorded in ${renews.join(", ")} and are rewritten first`;
      const adopts = planAdoptionUnasked(input.deployment, desired, live);
      return { action, certainty: unchecked(reason), adopts };
    }
    const reason = whyNoAnswer(desired, prediction.failure, input);
    if (reason !== undefined) return { action, certainty: unchecked(reason) };
    const { message } = showable(prediction.failure, desired);
    const problems = problemsOfDryRun(desired, live, prediction.failure);
    const isLosing = input.foreseen.losing.has(desired.key);
    return {
      action,
      certainty: unchecked(message),
      problems: isLosing ? problems.map(asLoss) : problems,
    };
  }
  return judgePrediction(desired, live, prediction.value, input);
}

/** By itself the manifest was accepted, so what a takeover removes is what is missed. */
function asLoss(problem: Problem): Problem {
  const fix =
    "Declare what is live there: the object is taken over from a client-side tool, and what is not declared would be removed";
  return { ...problem, fix };
}

function underItsName(object: KubeObject, { id }: DesiredObject): KubeObject {
  return withMetadata(object, { name: id.name });
}

function judgePrediction(
  desired: DesiredObject,
  live: KubeObject | undefined,
  predicted: KubeObject,
  { deployment, foreseen }: PlanInput,
): Verdict {
  const certainty: Certainty = { by: "server" };
  if (live === undefined) return { action: "create", predicted, certainty };
  const lost = foreseen.losing.get(desired.key);
  const losing = lost?.ok ? lost.value : undefined;
  const adopted = planAdoption(deployment, desired, live, predicted, losing);
  const expected = adopted?.predicted ?? predicted;
  if (isNoChange(live, expected, fieldManager(deployment, desired.stage))) {
    return { action: "unchanged", predicted: expected, certainty };
  }
  return { action: "update", predicted: expected, certainty, adopts: adopted?.adopts };
}

function unchecked(reason: string): Certainty {
  return { by: "unchecked", reason };
}

/** A refusal that says nothing about the object itself; undefined when it does. */
function whyNoAnswer(
  desired: DesiredObject,
  failure: DryRunFailure,
  { edges, live, purpose }: PlanInput,
): string | undefined {
  if (/does not support dry run/i.test(failure.message)) {
    return "an admission webhook does not support dry-run";
  }
  const missing = firstMissing(desired, edges, live);
  if (missing !== undefined && isAboutAbsence(failure)) {
    return `it needs ${nameOfKey(missing)}, which this same deployment creates`;
  }
  if (purpose === "diff" && failure.reason === "forbidden") {
    return showable(failure, desired).message;
  }
  return undefined;
}

function firstMissing(
  desired: DesiredObject,
  edges: Graph,
  live: PlanInput["live"],
): string | undefined {
  return edges.get(desired.key)?.find((edge) => !live.has(edge.on))?.on;
}

/** A Pod whose ServiceAccount is missing is answered 403, a binding whose role is missing 404. */
function isAboutAbsence({ reason, message }: DryRunFailure): boolean {
  return reason === "not-found" || (reason === "forbidden" && /not found/i.test(message));
}

/** Nothing but what the server counts by itself differs, and we own neither more nor less than before. */
function isNoChange(live: KubeObject, predicted: KubeObject, manager: string): boolean {
  return (
    sameJson(withoutNoise(live), withoutNoise(predicted)) &&
    sameJson(appliedBy(live, manager)?.fields, appliedBy(predicted, manager)?.fields) &&
    textAt(live, "apiVersion") === textAt(predicted, "apiVersion")
  );
}

function withoutNoise(object: KubeObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...own
  } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: own };
}
