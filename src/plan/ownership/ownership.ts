import { deploymentLabel, keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { stages } from "../../model/compilation.ts";
import { listAt, textAt } from "../../model/json.ts";
import { spokenOfAs } from "../../model/late-text.ts";
import { appliedBy } from "../../model/managed-fields.ts";
import { type KubeObject, label, nameOf, type ObjectId } from "../../model/object.ts";
import { type Change, type FieldConflict, fieldManager } from "../../model/plan.ts";
import type { Position, Problem } from "../../model/problem.ts";
import { contestedField } from "./contested-field.ts";

/** Live objects that we must not write to at all. */
export function ownershipProblems(
  change: Change,
  deployment: string,
  declared?: Position,
): readonly Problem[] {
  const { live, id } = change;
  if (live === undefined) return [];
  const problems: Problem[] = [];
  const where = declared === undefined ? [] : [declared];
  const owner = label(live, deploymentLabel);
  if (owner !== undefined && owner !== deployment) {
    problems.push({
      what: `${nameOf(id)} belongs to the deployment ${owner}`,
      fix: `Declare it in one of the two deployments only, or remove the label ${deploymentLabel} from the live object to take it over`,
      where,
    });
  }
  const since = textAt(live, "metadata", "deletionTimestamp");
  if (since !== undefined) {
    const finalizers = listAt(live, "metadata", "finalizers").join(", ");
    problems.push({
      what: `${nameOf(id)} is being deleted since ${since}`,
      fix: `Wait until it is gone and run again${finalizers === "" ? "" : `; it waits for its finalizers ${finalizers}`}`,
      where,
    });
  }
  return problems;
}

/** What a reader should know of an object that others have made or own parts of. */
export function ownershipNotices(change: Change, deployment: string): readonly Problem[] {
  const { live } = change;
  if (live === undefined) return [];
  return [
    ...takeoverNotices(change, isFirstMet(live, deployment)),
    ...(change.forces ?? []).map((conflict) => forced(change, conflict)),
    ...(change.renews === undefined ? [] : [renewed(change, change.renews)]),
  ];
}

/** An object that was not ours, or whose fields are taken over from client-side tools or from the other stage. */
function takeoverNotices({ id, adopts }: Change, isFirst: boolean): readonly Problem[] {
  if (adopts === undefined || adopts.managers.length === 0) return isFirst ? [adopted(id)] : [];
  const managed = isFirst ? "; from now on it is deleted when it is no longer declared" : "";
  const removes =
    adopts.removes.length === 0
      ? ""
      : `, and what is not declared is removed: ${adopts.removes.join(", ")}`;
  return [
    {
      what: `${nameOf(id)} is taken over from ${adopts.managers.join(", ")}: its fields become ours${removes}${managed}`,
      fix: "Declare what is to stay; whoever else still applies this object will get conflicts",
      where: [],
    },
  ];
}

function forced(change: Change, conflict: FieldConflict): Problem {
  const { id, live, desired } = change;
  const { path, values } = contestedField(spokenOfAs(desired, change), live, conflict);
  return {
    what: `${nameOf(id)}: ${path} is taken from "${conflict.manager}" by force${values}`,
    fix: "See that it does not write the field again, or the two will undo each other's changes",
    where: [],
  };
}

function renewed({ id, desired: { apiVersion } }: Change, versions: readonly string[]): Problem {
  return {
    what: `${nameOf(id)}: the owners of its fields are recorded in ${versions.join(", ")}, which lacks a field of it: from now on they are in ${apiVersion}`,
    fix: `Have everybody who applies it use ${apiVersion}`,
    where: [],
  };
}

/** Nothing of ours is on it: it was there before this deployment declared it. */
function isFirstMet(live: KubeObject, deployment: string): boolean {
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return (
    label(live, deploymentLabel) === undefined &&
    managers.every((manager) => appliedBy(live, manager) === undefined)
  );
}

function adopted(id: ObjectId): Problem {
  return {
    what: `${nameOf(id)} exists already and was not made by this deployment: from now on it is managed, and deleted when it is no longer declared`,
    fix: `Declare it under another name if this is not meant, or put the annotation ${keepOnDeleteAnnotation} on it to have it stay`,
    where: [],
  };
}
