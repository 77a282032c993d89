import type { Said } from "./said.ts";
import { isConversionUnavailable } from "./versions.ts";

/** The verdict of a policy of the cluster, a webhook's included. */
export function isDeniedByAdmission({ message }: Said): boolean {
  return /denied (the )?request|violates PodSecurity/.test(message);
}

/** A policy's verdict comes as an invalid object without a field. */
export function isDeniedByPolicy({ message }: Said): boolean {
  return /^ValidatingAdmissionPolicy '/.test(message);
}

/** Who has denied it: `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: …`. */
export function denyingPolicyOf({
  message,
}: Said): { readonly policy: string; readonly binding: string } | undefined {
  const [, policy, binding] =
    /\bValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request\b/.exec(message) ??
    [];
  return policy === undefined || binding === undefined ? undefined : { policy, binding };
}

export function isDeniedByWebhook({ message }: Said): boolean {
  return message.startsWith("admission webhook ");
}

export function isWebhookUnavailable({ message }: Said): boolean {
  return /failed calling webhook/.test(message) || isConversionUnavailable({ message });
}

/** The name of a webhook that did not answer. */
export function unavailableWebhook({ message }: Said): string | undefined {
  return /failed calling webhook "([^"]+)"/.exec(message)?.[1];
}

export function isWithoutDryRun({ message }: Said): boolean {
  return /does not support dry run/i.test(message);
}

/** A class that a Pod names and the cluster does not have. */
export function missingClass({
  message,
}: Said): { readonly kind: "PriorityClass" | "RuntimeClass"; readonly name: string } | undefined {
  const [, priority] = /\bno PriorityClass with name (\S+) was found\b/.exec(message) ?? [];
  if (priority !== undefined) return { kind: "PriorityClass", name: priority };
  const [, runtime] = /\bRuntimeClass "([^"]+)" not found\b/.exec(message) ?? [];
  return runtime === undefined ? undefined : { kind: "RuntimeClass", name: runtime };
}

/** What a Pod says contradicts the class that it names, or the rules of its namespace for nodes (admission plugins of Kubernetes itself). */
export function isAgainstClass({ message }: Said): boolean {
  return [
    /\bis forbidden: conflict: runtimeClass\.scheduling\b/,
    /\bis forbidden: pod rejected: /,
    /\bmust not be provided in pod spec; priority admission controller computed\b/,
    /\bpod node label selector conflicts with its namespace node label selector\b/,
  ].some((words) => words.test(message));
}

/** A claim is to grow, and its StorageClass does not let it (the admission plugin PersistentVolumeClaimResize). */
export function isAboutGrowth({ message }: Said): boolean {
  return /\bonly dynamically provisioned pvc can be resized\b/.test(message);
}

export const growthForbidden =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
