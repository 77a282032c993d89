import { grantFor } from "../../model/cluster/api-failure.ts";
import { missingPermissionWithin } from "../../model/cluster/api-words/permissions.ts";
import { deletionOfPods } from "../../model/cluster/stuck-pods.ts";
import { type KubeObject, nameOf, type ObjectId } from "../../model/object.ts";
import { oneLine, type WaitingCause } from "../readiness/status/status.ts";
import type { Failure } from "../result.ts";
import type { Run } from "../run.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import type { Explanation } from "./explain-failure.ts";

/** The object that failed. */
export interface Subject {
  readonly key: string;
  readonly id: ObjectId;
  readonly resource?: string;
}

/**
 * Ends the run because of one object.
 * It always returns false, because the object isn't as planned.
 */
export function fail(run: Run, subject: Subject, explanation: Explanation): false {
  run.halt.fail();
  const { key, id, resource } = subject;
  const { code, inputs } = explanation;
  const fix = run.secrets.hide(explanation.fix);
  const what = run.secrets.hide(oneLine(explanation.what));
  const evidence = undefined;
  run.ledger.recordFailure({ key, name: nameOf(id), resource, code, what, fix, inputs, evidence });
  run.world.progress.report({ type: "failed", key, why: what });
  return false;
}

/** The reason why an object doesn't become ready. */
export interface Unreadiness {
  readonly what: string;
  /** True if a longer wait can't help. */
  readonly hasFailed?: boolean;
  readonly cause?: WaitingCause | undefined;
}

/**
 * Ends the run because of an object that was written but doesn't become ready.
 * It gathers evidence from the cluster.
 */
export async function failWithEvidence(
  run: Run,
  subject: Subject,
  unreadiness: Unreadiness,
  object: KubeObject,
): Promise<false> {
  fail(run, subject, { code: "not-ready", what: unreadiness.what, fix: "" });
  const evidence = run.secrets.hide(await gatherEvidence(run.world.cluster, object));
  const known = run.ledger.failureOf(subject.key);
  if (known === undefined) return false;
  run.ledger.recordFailure({ ...known, ...remedyFor(evidence, unreadiness), evidence });
  return false;
}

export type Remedy = Pick<Failure, "code" | "fix" | "inputs">;

/**
 * Returns the fix for an object that doesn't become ready.
 * It includes the Pods that a user must delete manually.
 */
export function remedyFor(evidence: Evidence, unreadiness: Unreadiness): Remedy {
  const { stuck } = evidence;
  const remedy = remedyByWords(evidence, unreadiness);
  if (stuck === undefined) return remedy;
  if (stuck.isEarlier) {
    const fix = `It waits for Pods of an earlier version and does not replace them: ${deletionOfPods(stuck)}`;
    return { code: "not-ready", fix };
  }
  const later = `it does not replace Pods that are not ready: when the correction or an earlier release is being deployed, run ${deletionOfPods(stuck)}`;
  return { ...remedy, fix: `${remedy.fix}; ${later}` };
}

/** Chooses a fix by the most specific message from the cluster. */
function remedyByWords(evidence: Evidence, { what, cause, hasFailed }: Unreadiness): Remedy {
  const missing = missingPermissionWithin(what);
  if (missing !== undefined) return { code: "missing-permission", fix: grantFor(missing) };
  if (cause === "suspended") return resume;
  const said = [what, ...evidence.conditions, ...evidence.pods.flatMap(textsOf)];
  const warned = evidence.warnings.map((w) => `${w.reason}: ${w.message}`);
  for (const text of [said.join("\n"), warned.join("\n")]) {
    const found = knownCauses.find(({ pattern }) => pattern.test(text));
    if (found !== undefined) return { code: found.code, fix: found.fix };
  }
  if (cause === "not observed") return startController;
  return hasFailed === true ? correct : correctOrWait;
}

const resume: Remedy = {
  code: "not-ready",
  fix: "Have it resumed, or raise --timeout if a queue resumes it later; if the suspension is intended, declare it in the manifest",
  inputs: ["timeout: 20m"],
};

const startController: Remedy = {
  code: "controller-not-running",
  fix: "Check that the controller of this kind is installed and running in the cluster",
};

const correct: Remedy = { code: "not-ready", fix: "Correct what the evidence shows and run again" };

const correctOrWait: Remedy = {
  code: "not-ready",
  fix: "Correct what the evidence shows and run again; if it only needs longer, raise --timeout",
  inputs: ["timeout: 20m"],
};

function textsOf(pod: Evidence["pods"][number]): readonly string[] {
  const containers = pod.containers.flatMap((c) => [c.waitingFor, c.message, c.exitReason]);
  return [pod.scheduler ?? "", ...containers];
}

/**
 * Patterns in messages of the kubelet, the scheduler and controllers, most specific first.
 * The first match wins.
 */
const knownCauses: readonly (Remedy & { readonly pattern: RegExp })[] = [
  {
    pattern: /^(it was deleted|another object took its place) while it was waited for/,
    code: "object-changed",
    fix: "Find out who has deleted it, then run again: the new plan starts from what is in the cluster now",
  },
  {
    pattern: /ErrImageNeverPull|ImagePullBackOff|ErrImagePull|InvalidImageName/,
    code: "image-pull-failed",
    fix: "Check that the image and its tag exist and that the cluster may pull it (imagePullSecrets)",
  },
  {
    pattern: /CreateContainerConfigError/,
    code: "container-config-missing",
    fix: "Declare the ConfigMap, Secret or key that the container reads, or correct the reference",
  },
  {
    pattern: /OOMKilled/,
    code: "out-of-memory",
    fix: "Raise resources.limits.memory of the container, or find out why it uses so much",
  },
  {
    pattern: /CrashLoopBackOff|RunContainerError|BackoffLimitExceeded/,
    code: "container-crashed",
    fix: "The program exits by itself: see exit code and log, correct it and run again",
  },
  {
    // The API server adds the Pod's own value of the label to the selector.
    // The selector in the manifest must not contain that label already.
    pattern: /matchLabelKeys/,
    code: "invalid-object",
    fix: "Take the label out of matchLabelKeys, or out of the labelSelector beside it: matchLabelKeys is for labels that a controller gives the Pods of each version, such as pod-template-hash",
  },
  {
    // Old Pods repel new Pods by their own term, whatever term the new Pods have.
    pattern: /anti-?affinity/i,
    code: "pod-not-scheduled",
    fix: "No node satisfies the anti-affinity beside the old Pods: allow maxUnavailable ≥ 1 for this rollout; matchLabelKeys: [pod-template-hash] in its term makes that unnecessary for later ones",
  },
  {
    pattern: /exceeded quota/,
    code: "quota-exceeded",
    fix: "Raise the quota of the namespace, or request less",
  },
  {
    pattern: /denied (the )?request|ValidatingAdmissionPolicy|violates PodSecurity/,
    code: "admission-denied",
    fix: "Satisfy what the message asks for, or ask the administrators of the cluster to change the policy",
  },
  {
    pattern: /ProvisioningFailed|storageclass/i,
    code: "volume-not-provisioned",
    fix: "Correct storageClassName of the claim, or have the cluster provide that class",
  },
  {
    pattern: /Unschedulable|FailedScheduling/,
    code: "pod-not-scheduled",
    fix: "No node can take the Pod: add capacity, or change what it requests, tolerates or selects",
  },
  {
    pattern: /Unhealthy|ContainersNotReady|readiness/i,
    code: "not-ready",
    fix: "The containers run but are not ready: check the readiness probe and what it depends on",
  },
];
