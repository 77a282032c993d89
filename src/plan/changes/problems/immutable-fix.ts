import { ignoreChangesAnnotation, replaceAnnotation } from "../../../model/annotations.ts";
import { keepsDataByName, recreationAlternative } from "../../../model/cluster/change-effects.ts";
import { describeRunningJob, isFinishedJob, isJob } from "../../../model/cluster/jobs.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import type { Problem } from "../../../model/problems/problem.ts";
import { isProtected } from "../../../ssa/protection.ts";
import {
  allowsOrphans,
  isStatefulSet,
  orphanObstacle,
  undeclaredReplicas,
} from "../../../ssa/steps/orphan.ts";
import { allowsReplacement, isReplaceable } from "../../../ssa/steps/recreate.ts";
import { hasLargerTemplate } from "../claim-growth.ts";
import type { ProblemFix } from "./record-fixes.ts";

interface ImmutableDetails {
  /** The object that qvs would send for a recreation. */
  readonly recreated: KubeObject;
  readonly isAlone: boolean;
  readonly again: string | undefined;
}

type ReplacementFix = ProblemFix & Pick<Problem, "facts" | "paste">;

/** Returns the fix for a field of an own object that can't be changed. */
export function immutableFix(
  object: KubeObject,
  live: KubeObject | undefined,
  details: ImmutableDetails,
): ReplacementFix {
  const instead = isProtected(idOf(object)) ? recreationAlternative(object.kind) : undefined;
  if (instead !== undefined) return { fix: instead };
  if (live === undefined || !isReplaceable(object, live)) {
    return { ...emptyClaims(object), fix: anotherName, otherwise: [deleteFirst] };
  }
  const isAllowed = allowsReplacement(object, live, {}) || allowsOrphans(object);
  if (!isAllowed) return replacementFix(object, live);
  if (allowsOrphans(object) && orphanObstacle(object, live) !== undefined) {
    const why = orphanObstacle(object, live);
    return { why, fix: anotherName, otherwise: [allowReplacement] };
  }
  const replicas = allowsOrphans(object) ? undeclaredReplicas(details.recreated, live) : undefined;
  return replicas === undefined ? rejectedReplacementFix(details) : replicasFix(replicas);
}

/** Returns the fix for a StatefulSet that would lose Pods, because it declares no replicas. */
function replicasFix(replicas: number): ReplacementFix {
  return {
    why: `The manifest doesn't declare spec.replicas, so the new StatefulSet would keep 1 of ${replicas} Pods`,
    fix: "Declare the live number of replicas",
    paste: ["spec:", `  replicas: ${replicas}`],
    otherwise: [
      `declare it and name spec.replicas in the annotation ${ignoreChangesAnnotation}, if another tool scales the StatefulSet`,
    ],
  };
}

const anotherName = "Give the object another name";

export const deleteFirst =
  "delete the object manually first if nothing is lost with it and it can be absent for a moment";

const allowReplacement = `add the annotation ${replaceAnnotation}: "true" if it can be absent for a moment`;

/** Returns the ways to replace an object whose manifest doesn't allow that. */
function replacementFix(object: KubeObject, live: KubeObject): ReplacementFix {
  if (isJob(idOf(object))) return runAgain(live);
  const others = {
    ...emptyClaims(object),
    fix: anotherName,
    otherwise: [allowReplacement],
  };
  return isStatefulSet(object) && orphanObstacle(object, live) === undefined
    ? keepPods(others, hasLargerTemplate(object, live))
    : others;
}

function emptyClaims(object: KubeObject): Pick<Problem, "why"> {
  return keepsDataByName(object)
    ? { why: "Under another name, it starts with new, empty PersistentVolumeClaims" }
    : {};
}

/** Returns the fix for a StatefulSet that can keep its Pods and grow its claims. */
function keepPods(others: ProblemFix, isGrowing: boolean): ReplacementFix {
  const effect = isGrowing
    ? "Keep the Pods and grow the claims, if their StorageClass allows volume expansion"
    : "Keep the Pods";
  return {
    ...others,
    fix: `${effect}: add the annotation ${replaceAnnotation}: orphan`,
    otherwise: ["give the object another name", ...(others.otherwise ?? [])],
    paste: orphanLines,
  };
}

const orphanLines = ["metadata:", "  annotations:", `    ${replaceAnnotation}: orphan`];

/** Returns the fix for an object whose replacement is allowed, but rejected. */
function rejectedReplacementFix({ isAlone, again }: ImmutableDetails): ReplacementFix {
  if (!isAlone) {
    return {
      why: "qvs recreates an object only if the API server rejects nothing but immutable fields",
      fix: "Correct the other rejected fields first",
    };
  }
  const rejected = {
    why: "The API server would also reject the recreated object",
    fix: "Correct the manifest",
  };
  if (again === undefined) return rejected;
  return {
    ...rejected,
    facts: [{ label: "recreated", value: again }],
    otherwise: ["delete the old object manually first if it causes the second rejection"],
  };
}

/**
 * Returns the fix for a Job that can't be replaced now. It can be absent, but each of its fixes
 * runs it again.
 */
function runAgain(job: KubeObject): ReplacementFix {
  const isFinished = isFinishedJob(job);
  const wait = "wait until it has finished: qvs then deletes the Job and runs it again";
  return {
    ...(isFinished ? {} : { why: `The Job hasn't finished: ${describeRunningJob(job)}` }),
    fix: "Give the Job another name: qvs then runs it as a new Job",
    otherwise: [
      ...(isFinished ? [] : [wait]),
      `add the annotation ${replaceAnnotation}: "true", so that qvs deletes the Job and runs it again`,
    ],
  };
}
