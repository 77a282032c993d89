import { oneLine } from "../../health/conditions.ts";
import { timeoutAnnotation } from "../../model/annotations.ts";
import { permissionFix } from "../../model/cluster/api/api-failure.ts";
import { findMissingPermission } from "../../model/cluster/api/messages/denials.ts";
import { deletePodsCommand } from "../../model/cluster/pending-deletion.ts";
import { type KubeObject, nameOf, type ObjectId } from "../../model/object.ts";
import { mapProblemTexts, type Problem } from "../../model/problems/problem.ts";
import type { WaitingCause } from "../readiness/status/conditions.ts";
import type { ApplyRun } from "../run.ts";
import { type Failure, failureDetail } from "../summarize-run.ts";
import { type FailureEvidence, gatherEvidence } from "./evidence.ts";
import type { FailureExplanation } from "./explain-failure.ts";

/** The object that failed. */
export interface FailureSubject {
  readonly key: string;
  readonly id: ObjectId;
  readonly resource?: string;
}

/**
 * Ends the run because of one object.
 * It always returns false, because the object isn't as planned.
 */
export function fail(
  run: ApplyRun,
  { key, id, resource }: FailureSubject,
  explanation: FailureExplanation,
  detail?: string,
): false {
  run.cancellation.fail();
  const shown = (text: string) => run.secrets.scrub(oneLine(text));
  const { where: _, ...problem } = mapProblemTexts({ ...explanation, where: [] }, shown);
  const failure: Failure = {
    ...problem,
    ...{ key, name: nameOf(id), resource },
    detail: detail === undefined ? undefined : shown(detail),
    evidence: undefined,
  };
  run.ledger.recordFailure(failure);
  run.world.progress.report({ type: "failed", key, why: failureDetail(failure) });
  return false;
}

/** The reason why an object doesn't become ready. */
export interface Unreadiness {
  /** The fact, such as `not ready after 600 s`. Undefined if a longer wait can't help. */
  readonly what?: string;
  /** The object's last status: `2/3 ready`. */
  readonly status: string;
  /** True if a longer wait can't help. */
  readonly hasFailed?: boolean;
  readonly cause?: WaitingCause | undefined;
  /** The limit that ended the wait: --timeout, the annotation, or --no-progress-timeout. */
  readonly limit?: "timeout" | "annotation" | "progress" | undefined;
}

/**
 * Ends the run because of an object that was written but doesn't become ready.
 * It gathers evidence from the cluster.
 */
export async function failWithEvidence(
  run: ApplyRun,
  subject: FailureSubject,
  unreadiness: Unreadiness,
  object: KubeObject,
): Promise<false> {
  const { what = "failed", status, hasFailed } = unreadiness;
  const facts = [{ label: "status", value: status }];
  const explanation: FailureExplanation = { code: "not-ready", what, facts, fix: "" };
  fail(run, subject, explanation, hasFailed === true ? status : undefined);
  const evidence = run.secrets.scrub(await gatherEvidence(run.world.cluster, object));
  const known = run.ledger.getFailure(subject.key);
  if (known === undefined) return false;
  run.ledger.recordFailure({ ...known, ...chooseRemedy(evidence, unreadiness), evidence });
  return false;
}

export type Remedy = Pick<Problem, "code" | "why" | "fix" | "otherwise" | "inputs">;

/**
 * Returns the fix for an object that doesn't become ready.
 * It includes the Pods that a user must delete manually.
 */
export function chooseRemedy(evidence: FailureEvidence, unreadiness: Unreadiness): Remedy {
  const { stuck } = evidence;
  const remedy = remedyByMessage(evidence, unreadiness);
  if (stuck === undefined) return remedy;
  if (stuck.isOldRevision) {
    const why = "The StatefulSet waits for Pods of an earlier version and doesn't replace them";
    return { code: "not-ready", why, fix: `Run ${deletePodsCommand(stuck)}` };
  }
  const why = "A StatefulSet doesn't replace Pods that aren't ready";
  return {
    ...remedy,
    why: remedy.why === undefined ? why : `${remedy.why}. ${why}`,
    fix: `${remedy.fix}. While the correction or an earlier release is being deployed, run ${deletePodsCommand(stuck)}`,
  };
}

/** Chooses a fix by the most specific message from the cluster. */
function remedyByMessage(
  evidence: FailureEvidence,
  { status, cause, hasFailed, limit }: Unreadiness,
): Remedy {
  const missing = findMissingPermission(status);
  if (missing !== undefined) return { code: "missing-permission", fix: permissionFix(missing) };
  if (cause === "suspended") return { ...resume, ...raise(limit, resumeLater, declarePause) };
  const messages = [status, ...evidence.conditions, ...evidence.pods.flatMap(podMessages)];
  const warnings = evidence.warnings.map((w) => `${w.reason}: ${w.message}`);
  for (const text of [messages.join("\n"), warnings.join("\n")]) {
    const found = knownCauses.find(({ pattern }) => pattern.test(text));
    if (found !== undefined) return found.remedy;
  }
  if (cause === "not observed") return startController;
  return hasFailed === true ? correct : { ...correct, ...raise(limit, needsTime) };
}

/** Returns the other fixes of an object that needs more time than the limit. */
function raise(
  limit: Unreadiness["limit"] = "timeout",
  reason: string,
  ...others: readonly string[]
): Pick<Remedy, "otherwise" | "inputs"> {
  const { name, inputs } = limits[limit];
  return { otherwise: [`raise ${name} ${reason}`, ...others], ...(inputs && { inputs }) };
}

const limits = {
  timeout: { name: "--timeout", inputs: ["timeout: 20m"] },
  annotation: { name: `its annotation ${timeoutAnnotation}`, inputs: undefined },
  progress: { name: "--no-progress-timeout", inputs: ["no-progress-timeout: 10m"] },
} as const;

const resumeLater = "if a queue resumes it later";
const declarePause = "declare the suspension in the manifest if it's intended";
const needsTime = "if it only needs more time";

const resume: Remedy = { code: "not-ready", fix: "Resume the object" };

const startController: Remedy = {
  code: "controller-not-running",
  fix: "Install or start the controller of this kind in the cluster",
};

const correct: Remedy = {
  code: "not-ready",
  fix: "Correct the cause that the evidence shows, then run again",
};

function podMessages(pod: FailureEvidence["pods"][number]): readonly string[] {
  const containers = pod.containers.flatMap((c) => [c.waitingFor, c.message, c.exitReason]);
  return [pod.scheduler ?? "", ...containers];
}

interface KnownCause {
  readonly pattern: RegExp;
  readonly remedy: Remedy;
}

/**
 * Patterns in messages of the kubelet, the scheduler and controllers, most specific first.
 * The first match wins.
 */
const knownCauses: readonly KnownCause[] = [
  {
    pattern: /^(it was deleted|another object took its place) while qvs waited for it/,
    remedy: {
      code: "object-changed",
      fix: "Find out who deleted it, then run again: the new plan starts from the current state of the cluster",
    },
  },
  {
    pattern: /ErrImageNeverPull|ImagePullBackOff|ErrImagePull|InvalidImageName/,
    remedy: {
      code: "image-pull-failed",
      fix: "Check that the image and its tag exist",
      otherwise: ["set imagePullSecrets if the cluster isn't allowed to pull the image"],
    },
  },
  {
    pattern: /CreateContainerConfigError/,
    remedy: {
      code: "container-config-missing",
      fix: "Declare the ConfigMap, Secret or key that the container reads",
      otherwise: ["correct the reference"],
    },
  },
  {
    pattern: /OOMKilled/,
    remedy: {
      code: "out-of-memory",
      fix: "Raise resources.limits.memory of the container",
      otherwise: ["find out why the container uses so much memory"],
    },
  },
  {
    pattern: /CrashLoopBackOff|RunContainerError|BackoffLimitExceeded/,
    remedy: {
      code: "container-crashed",
      why: "The program in the container exits by itself",
      fix: "Correct the program by its exit code and log, then run again",
    },
  },
  {
    // The API server adds the Pod's own value of the label to the selector.
    // The selector in the manifest must not contain that label already.
    pattern: /matchLabelKeys/,
    remedy: {
      code: "invalid-object",
      why: "matchLabelKeys is for labels that a controller gives the Pods of each version, such as pod-template-hash",
      fix: "Remove the label from matchLabelKeys",
      otherwise: ["remove the label from the labelSelector next to it"],
    },
  },
  {
    // Old Pods repel new Pods by their own term, whatever term the new Pods have.
    pattern: /anti-?affinity/i,
    remedy: {
      code: "pod-not-scheduled",
      why: "No node satisfies the anti-affinity next to the old Pods",
      fix: "Set maxUnavailable to 1 or more for this rollout; for later ones, add matchLabelKeys: [pod-template-hash] to the term",
    },
  },
  {
    pattern: /exceeded quota/,
    remedy: {
      code: "quota-exceeded",
      fix: "Raise the quota of the namespace",
      otherwise: ["request less"],
    },
  },
  {
    pattern: /denied (the )?request|ValidatingAdmissionPolicy|violates PodSecurity/,
    remedy: {
      code: "admission-denied",
      fix: "Change the object as the message requires",
      otherwise: ["ask the administrators of the cluster to change the policy"],
    },
  },
  {
    pattern: /ProvisioningFailed|storageclass/i,
    remedy: {
      code: "volume-not-provisioned",
      fix: "Correct storageClassName of the PersistentVolumeClaim",
      otherwise: ["create the StorageClass in the cluster"],
    },
  },
  {
    pattern: /Unschedulable|FailedScheduling/,
    remedy: {
      code: "pod-not-scheduled",
      why: "No node can run the Pod",
      fix: "Add capacity to the cluster",
      otherwise: ["change the Pod's requests, tolerations or node selection"],
    },
  },
  {
    pattern: /Unhealthy|ContainersNotReady|readiness/i,
    remedy: {
      code: "not-ready",
      why: "The containers run, but aren't ready",
      fix: "Check the readiness probe and its dependencies",
    },
  },
];
