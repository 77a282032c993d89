import { deploymentLabel, keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import {
  blockersText,
  deletionBlockReason,
  foregroundFinalizer,
  type PendingDeletion,
} from "../../model/cluster/pending-deletion.ts";
import { listAt, textAt } from "../../model/json.ts";
import { type KubeObject, label, nameOf, type ObjectId } from "../../model/object.ts";
import { scalarTexts, withSecretKind } from "../../model/plan/apply-time-reference.ts";
import { noHooksFix } from "../../model/plan/deletion.ts";
import { type Change, fieldManager } from "../../model/plan/plan.ts";
import type { Position, Problem, UnplacedProblem } from "../../model/problems/problem.ts";
import { stages } from "../../model/sources/compilation.ts";
import { findApplyEntry } from "../../ssa/managed-fields.ts";
import {
  type DeploymentIdentity,
  deletionProtection,
  foreignProtection,
  reapplyProtection,
  sharedProtection,
} from "../../ssa/protection.ts";
import type { StepLabels } from "../../ssa/steps/step.ts";
import { describeStep } from "../../ssa/steps/steps.ts";
import { transferredManagers } from "../../ssa/steps/transfer-ownership.ts";
import { conflictingField } from "./find-field.ts";

/** Returns the errors for a live object that qvs must not write. */
export function ownershipProblems(
  change: Change,
  by: DeploymentIdentity,
  declared?: Position,
  remaining?: PendingDeletion,
): readonly Problem[] {
  const { live, id } = change;
  if (live === undefined) return [];
  const problems = [
    ...otherDeploymentProblems(id, live, by),
    ...(change.hook === undefined ? [] : foreignHookProblems(id, live, by)),
    ...(change.action === "replace" && change.hook === undefined
      ? foreignRecreationProblems(id, live, by)
      : []),
    ...terminatingProblems(id, live, by, remaining),
  ];
  const where = declared === undefined ? [] : [declared];
  return problems.map((objection) => ({ ...objection, where }));
}

function otherDeploymentProblems(
  id: ObjectId,
  live: KubeObject,
  { deployment }: DeploymentIdentity,
): readonly UnplacedProblem[] {
  const owner = label(live, deploymentLabel);
  if (owner === undefined || owner === deployment) return [];
  return [
    {
      code: "foreign-object",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} belongs to the deployment ${owner}`,
      fix: "Declare it in only one of the two deployments",
      otherwise: [`remove the label ${deploymentLabel} from the live object to adopt it`],
    },
  ];
}

function foreignRecreationProblems(
  id: ObjectId,
  live: KubeObject,
  by: DeploymentIdentity,
): readonly UnplacedProblem[] {
  const foreign = foreignProtection(live, by) ?? sharedProtection(live);
  if (foreign === undefined) return [];
  const { claim, detail } = foreign;
  return [
    {
      code: "foreign-object",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} can't be recreated`,
      why: `The change requires a new object, but ${detail}`,
      fix: "Give the new object another name",
      otherwise: [
        "delete the existing object manually",
        ...(claim === undefined ? [] : [`assign it to this deployment: ${claim}`]),
      ],
    },
  ];
}

/**
 * Returns an error for a hook with the name of an object that qvs must not delete. qvs deletes each
 * hook that it runs, so it adopts none.
 */
function foreignHookProblems(
  id: ObjectId,
  live: KubeObject,
  by: DeploymentIdentity,
): readonly UnplacedProblem[] {
  const detail = isPreexisting(live, by.deployment)
    ? "this deployment didn't create it"
    : deletionProtection(live, by)?.detail;
  if (detail === undefined) return [];
  return [
    {
      code: "foreign-object",
      subjects: [nameOf(id)],
      what: `Hook ${nameOf(id)} has the name of an object that exists already`,
      why: `qvs would delete it with the hook, but it must stay: ${detail}`,
      fix: noHooksFix,
      otherwise: ["rename or delete the existing object if it isn't needed"],
    },
  ];
}

function terminatingProblems(
  id: ObjectId,
  live: KubeObject,
  by: DeploymentIdentity,
  remaining: PendingDeletion = { finalizers: [] },
): readonly UnplacedProblem[] {
  const since = textAt(live, "metadata", "deletionTimestamp");
  if (since === undefined) return [];
  const blockers = blockersText(remaining);
  const finalizers = listAt(live, "metadata", "finalizers")
    .flatMap(scalarTexts)
    .filter(
      (name) => name !== crdFinalizer && (name !== foregroundFinalizer || blockers.length === 0),
    )
    .join(", ");
  // This deployment must not reveal the content of a Namespace outside it.
  const heldBack =
    foreignProtection(live, by) === undefined ? deletionBlockReason(live) : undefined;
  const facts = [
    ...(finalizers === "" ? [] : [{ label: "finalizers", value: finalizers }]),
    ...(heldBack === undefined ? [] : [{ label: "answer", value: heldBack }]),
    ...blockers.map((value) => ({ label: "waits for", value })),
  ];
  const instances = isCrd(id)
    ? [`list the objects that remain: kubectl get ${id.name} --all-namespaces`]
    : [];
  return [
    {
      code: "object-being-deleted",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} has been terminating since ${since}`,
      facts,
      fix: "Wait until it is deleted, then run again",
      otherwise: instances,
    },
  ];
}

/** The finalizer that the API server itself removes when no object of the defined kind remains. */
const crdFinalizer = "customresourcecleanup.apiextensions.k8s.io";

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
  const isFirst = isPreexisting(live, deployment);
  const labels: StepLabels = {
    name: nameOf(id),
    apiVersion: desired.apiVersion,
    isAdopted: isFirst,
    stageOf: (manager) => stages.find((stage) => fieldManager(deployment, stage) === manager),
    canNameFields: change.redacted === undefined,
    field: (conflict) => conflictingField(withSecretKind(desired, change), live, conflict),
  };
  const takesOwnership = (transferredManagers(steps) ?? []).length > 0;
  return [
    ...(isFirst && !takesOwnership ? [adoptionNotice(id, live, release)] : []),
    ...steps.flatMap((step) => describeStep(step, labels)),
  ];
}

/**
 * Reports whether a live object has no trace of this deployment.
 * It existed before the deployment declared it, and no release was applied to it.
 */
export function isPreexisting(live: KubeObject, deployment: string): boolean {
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return (
    label(live, deploymentLabel) === undefined &&
    managers.every((manager) => findApplyEntry(live, manager) === undefined)
  );
}

function adoptionNotice(id: ObjectId, live: KubeObject, release: number | undefined): Problem {
  const shared = reapplyProtection(live);
  const about = {
    code: "adopted-object",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: adopted by this deployment`,
    where: [],
  } as const;
  if (shared !== undefined) {
    return {
      ...about,
      why: `It exists already, and ${shared.detail}. Both will manage it, and qvs won't delete it when it's no longer declared`,
      fix: "Declare it under another name if this isn't intended",
      otherwise: ["let only one of them apply it"],
    };
  }
  if (release !== undefined) {
    return {
      ...about,
      why: `Release ${release} declared it, but another field manager wrote the live object. ${adoptionEffect}`,
      fix: "Find out who writes it, and let only one of them write it",
    };
  }
  return {
    ...about,
    why: `It exists already, and this deployment didn't create it. ${adoptionEffect}`,
    fix: "Declare it under another name if this isn't intended",
    otherwise: [
      `add the annotation ${keepOnDeleteAnnotation} to keep it when it's no longer declared`,
    ],
  };
}

const adoptionEffect = "qvs will manage it and delete it when it's no longer declared";
