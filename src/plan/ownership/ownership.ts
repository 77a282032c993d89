import { deploymentLabel, keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { leavesOf, spokenOfAs } from "../../model/apply-time-reference.ts";
import { heldBackBy } from "../../model/cluster/held-back.ts";
import { isDefinition } from "../../model/cluster/holder.ts";
import { blockersText, ofOwned, type RemainingObject } from "../../model/cluster/remaining.ts";
import { stages } from "../../model/compilation.ts";
import { listAt, textAt } from "../../model/json.ts";
import { type KubeObject, label, nameOf, type ObjectId } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { appliedBy } from "../../ssa/managed-fields.ts";
import { foreignness, type Owner, sharedness } from "../../ssa/protection.ts";
import type { StepWords } from "../../ssa/steps/step.ts";
import { describeStep } from "../../ssa/steps/steps.ts";
import { managersTakenOver } from "../../ssa/steps/transfer-ownership.ts";
import { conflictingField } from "./conflicting-field.ts";

/** Returns the errors for a live object that qvs must not write. */
export function ownershipProblems(
  change: Change,
  by: Owner,
  declared?: Position,
  remaining?: RemainingObject,
): readonly Problem[] {
  const { live, id } = change;
  if (live === undefined) return [];
  const objections = [
    ...ofAnotherDeployment(id, live, by),
    ...(change.action === "replace" ? notOursToRecreate(id, live, by) : []),
    ...beingDeleted(id, live, by, remaining),
  ];
  const where = declared === undefined ? [] : [declared];
  return objections.map((objection) => ({ ...objection, where }));
}

type Objection = Omit<Problem, "where">;

function ofAnotherDeployment(
  id: ObjectId,
  live: KubeObject,
  { deployment }: Owner,
): readonly Objection[] {
  const owner = label(live, deploymentLabel);
  if (owner === undefined || owner === deployment) return [];
  return [
    {
      code: "foreign-object",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} belongs to the deployment ${owner}`,
      fix: `Declare it in one of the two deployments only, or remove the label ${deploymentLabel} from the live object to take it over`,
    },
  ];
}

function notOursToRecreate(id: ObjectId, live: KubeObject, by: Owner): readonly Objection[] {
  const foreign = foreignness(live, by) ?? sharedness(live);
  if (foreign === undefined) return [];
  const { claim, detail } = foreign;
  return [
    {
      code: "foreign-object",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} would have to be recreated, but ${detail}`,
      fix: `Give the new object another name, or delete the old one yourself${claim === undefined ? "" : `, or assign it to this deployment: ${claim}`}`,
    },
  ];
}

function beingDeleted(
  id: ObjectId,
  live: KubeObject,
  by: Owner,
  remaining: RemainingObject = { finalizers: [] },
): readonly Objection[] {
  const since = textAt(live, "metadata", "deletionTimestamp");
  if (since === undefined) return [];
  const blockers = blockersText(remaining).map((text) => `it waits for ${text}`);
  const finalizers = listAt(live, "metadata", "finalizers")
    .flatMap(leavesOf)
    .filter((name) => name !== ofDefinitions && (name !== ofOwned || blockers.length === 0))
    .join(", ");
  // This deployment must not reveal the content of a Namespace outside it.
  const heldBack = foreignness(live, by) === undefined ? heldBackBy(live) : undefined;
  const held = finalizers === "" ? [] : [`it waits for its finalizers ${finalizers}`];
  const said = heldBack === undefined ? [] : [`the server says: ${heldBack}`];
  const instances = isDefinition(id)
    ? [`kubectl get ${id.name} --all-namespaces shows the objects that remain`]
    : [];
  return [
    {
      code: "object-being-deleted",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} has been terminating since ${since}`,
      fix: [
        "Wait until it is deleted, then run again",
        ...held,
        ...said,
        ...blockers,
        ...instances,
      ].join("; "),
    },
  ];
}

/** The finalizer that the API server itself removes when no object of the defined kind remains. */
const ofDefinitions = "customresourcecleanup.apiextensions.k8s.io";

/**
 * Returns notices for an object that other tools created or own parts of.
 * `release` is the newest release that declared it; undefined if none did.
 */
export function ownershipNotices(
  change: Change,
  deployment: string,
  release: number | undefined,
): readonly Problem[] {
  const { id, steps, live, desired } = change;
  if (live === undefined) return [];
  const isFirst = isFirstMet(live, deployment);
  const words: StepWords = {
    name: nameOf(id),
    apiVersion: desired.apiVersion,
    isFirstMet: isFirst,
    stageOf: (manager) => stages.find((stage) => fieldManager(deployment, stage) === manager),
    mayName: change.shows === undefined,
    field: (conflict) => conflictingField(spokenOfAs(desired, change), live, conflict),
  };
  const isTakenOver = (managersTakenOver(steps) ?? []).length > 0;
  return [
    ...(isFirst && !isTakenOver ? [adopted(id, live, release)] : []),
    ...steps.flatMap((step) => describeStep(step, words)),
  ];
}

/**
 * Reports whether a live object has no trace of this deployment.
 * It existed before the deployment declared it, and no release was applied to it.
 */
export function isFirstMet(live: KubeObject, deployment: string): boolean {
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return (
    label(live, deploymentLabel) === undefined &&
    managers.every((manager) => appliedBy(live, manager) === undefined)
  );
}

function adopted(id: ObjectId, live: KubeObject, release: number | undefined): Problem {
  const shared = sharedness(live);
  const about = { code: "adopted-object", subjects: [nameOf(id)], where: [] } as const;
  if (shared !== undefined) {
    return {
      ...about,
      what: `${nameOf(id)}: already there, and ${shared.detail}; from now on managed by both, and not deleted when no longer declared`,
      fix: "Declare it under another name if this is not meant, or have only one of them apply it",
    };
  }
  if (release !== undefined) {
    return {
      ...about,
      what: `${nameOf(id)}: release ${release} declared it, but what is there now was written by somebody else; managed by this deployment again from now on, and deleted when no longer declared`,
      fix: "Find out who writes it, and have only one of them do so",
    };
  }
  return {
    ...about,
    what: `${nameOf(id)}: already there, not created by this deployment; from now on managed by it, and deleted when no longer declared`,
    fix: `Declare it under another name if this is not meant, or put the annotation ${keepOnDeleteAnnotation} on it to have it stay`,
  };
}
