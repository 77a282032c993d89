import type { Evidence } from "./evidence.ts";
import { grantFor } from "./grant.ts";

/** What to do about an object that does not become ready, going by the most telling thing that the cluster said. */
export function cureFor(evidence: Evidence, why: string): string {
  const grant = grantFor(why);
  if (grant !== undefined) return grant;
  const said = [why, ...evidence.conditions, ...evidence.pods.flatMap(wordsOf)];
  const warned = evidence.warnings.map((w) => `${w.reason}: ${w.message}`);
  for (const text of [said.join("\n"), warned.join("\n")]) {
    const cure = cures.find(({ sign }) => sign.test(text));
    if (cure !== undefined) return cure.fix;
  }
  return "correct what the evidence shows and run again; if it only needs longer, raise --timeout";
}

function wordsOf(pod: Evidence["pods"][number]): readonly string[] {
  const containers = pod.containers.flatMap((c) => [c.waitingFor, c.message, c.exitReason]);
  return [pod.scheduler ?? "", ...containers];
}

/** From the most specific sign to the least: the first that is found wins. */
const cures: readonly { readonly sign: RegExp; readonly fix: string }[] = [
  {
    sign: /ErrImageNeverPull|ImagePullBackOff|ErrImagePull|InvalidImageName/,
    fix: "check that the image and its tag exist and that the cluster may pull it (imagePullSecrets)",
  },
  {
    sign: /CreateContainerConfigError/,
    fix: "a ConfigMap, Secret or key that the container reads is missing: declare it, or correct the reference",
  },
  {
    sign: /OOMKilled/,
    fix: "the container needs more memory than its limit: raise resources.limits.memory or find the leak",
  },
  {
    sign: /CrashLoopBackOff|RunContainerError|BackoffLimitExceeded/,
    fix: "the program ends by itself: see exit code and log, correct it and run again",
  },
  {
    // Old Pods refuse new ones by the term that they were made with, whatever the new ones say.
    sign: /anti-?affinity/i,
    fix: "no node satisfies the anti-affinity beside the old Pods: allow maxUnavailable ≥ 1 now; matchLabelKeys: [pod-template-hash] in its term makes that needless from the next rollout on",
  },
  {
    sign: /exceeded quota/,
    fix: "the namespace's quota is used up: raise it or ask for less",
  },
  {
    sign: /denied (the )?request|ValidatingAdmissionPolicy|violates PodSecurity/,
    fix: "a policy of the cluster refuses its Pods: satisfy what the message asks for, or ask those who run the cluster",
  },
  {
    sign: /ProvisioningFailed|storageclass/i,
    fix: "no volume can be made for the claim: correct its storageClassName, or have the cluster provide such a class",
  },
  {
    sign: /Unschedulable|FailedScheduling/,
    fix: "no node can take the Pod: add capacity, or change what it requests, tolerates or selects",
  },
  {
    sign: /Unhealthy|ContainersNotReady|readiness/i,
    fix: "the containers run but are not ready: check the readiness probe and what it depends on",
  },
  {
    sign: /its controller has not/,
    fix: "see that the controller of this kind is installed and running in the cluster",
  },
];
