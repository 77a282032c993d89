import { deploymentLabel, keepOnDeleteAnnotation } from "../model/annotations.ts";
import { stages } from "../model/compilation.ts";
import { listAt, textAt } from "../model/json.ts";
import { appliedBy, ownersOf } from "../model/managed-fields.ts";
import { type KubeObject, label, nameOf, type ObjectId } from "../model/object.ts";
import { type Change, fieldManager } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";

/** Managers whose entries mean that an object was made by client-side apply (deploy.md §2). */
const clientSideManagers: ReadonlySet<string> = new Set([
  "kubectl-client-side-apply",
  "before-first-apply",
  "helm",
  "kubectl",
]);

/** Live objects that we must not write to at all. */
export function ownershipProblems(change: Change, deployment: string): readonly Problem[] {
  const { live, id } = change;
  if (live === undefined) return [];
  const problems: Problem[] = [];
  const owner = label(live, deploymentLabel);
  if (owner !== undefined && owner !== deployment) {
    problems.push({
      what: `${nameOf(id)} belongs to the deployment ${owner}`,
      fix: `Declare it in one of the two deployments only, or remove the label ${deploymentLabel} from the live object to take it over`,
      where: [],
    });
  }
  const since = textAt(live, "metadata", "deletionTimestamp");
  if (since !== undefined) {
    const finalizers = listAt(live, "metadata", "finalizers").join(", ");
    problems.push({
      what: `${nameOf(id)} is being deleted since ${since}`,
      fix: `Wait until it is gone and run again${finalizers === "" ? "" : `; it waits for its finalizers ${finalizers}`}`,
      where: [],
    });
  }
  return problems;
}

/** What a reader should know of how a live object was made, where we leave something behind. */
export function ownershipNotices(change: Change, deployment: string): readonly Problem[] {
  const { live, id, stage } = change;
  if (live === undefined) return [];
  const notices: Problem[] = isFirstMet(live, deployment) ? [adopted(id)] : [];
  const others = ownersOf(live)
    .filter((owner) => owner.operation === "Update" && owner.subresource === "")
    .map((owner) => owner.manager)
    .filter((manager) => clientSideManagers.has(manager));
  if (others.length > 0) {
    notices.push({
      what: `${nameOf(id)} was made by client-side apply (${[...new Set(others)].toSorted().join(", ")}): fields that are no longer declared stay`,
      fix: "Remove such fields from the live object yourself: taking it over isn't supported yet",
      where: [],
    });
  }
  const former = stages.find(
    (other) => other !== stage && appliedBy(live, fieldManager(deployment, other)) !== undefined,
  );
  if (former !== undefined) {
    notices.push({
      what: `${nameOf(id)} has moved from ${former} to ${stage}: fields that are no longer declared stay`,
      fix: `Remove such fields from the live object yourself: ${fieldManager(deployment, former)} still owns them`,
      where: [],
    });
  }
  return notices;
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
