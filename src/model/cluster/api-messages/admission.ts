import type { ApiMessage } from "./api-message.ts";
import { isConversionUnavailable } from "./versions.ts";

/** Reports whether a cluster policy or a webhook denied the request. */
export function isDeniedByAdmission({ message }: ApiMessage): boolean {
  return /denied (the )?request|violates PodSecurity/.test(message);
}

/**
 * Reports whether a ValidatingAdmissionPolicy denied the request.
 * The API server then reports an invalid object without a field.
 */
export function isDeniedByPolicy({ message }: ApiMessage): boolean {
  return /^ValidatingAdmissionPolicy '/.test(message);
}

/**
 * Returns the policy and binding from
 * `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: …`.
 */
export function parseDenyingPolicy({
  message,
}: ApiMessage): { readonly policy: string; readonly binding: string } | undefined {
  const [, policy, binding] =
    /\bValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request\b/.exec(message) ??
    [];
  return policy === undefined || binding === undefined ? undefined : { policy, binding };
}

export function isDeniedByWebhook({ message }: ApiMessage): boolean {
  return message.startsWith("admission webhook ");
}

export function isWebhookUnavailable({ message }: ApiMessage): boolean {
  return /failed calling webhook/.test(message) || isConversionUnavailable({ message });
}

/** Returns the name of a webhook that didn't answer. */
export function unavailableWebhook({ message }: ApiMessage): string | undefined {
  return /failed calling webhook "([^"]+)"/.exec(message)?.[1];
}

export function isDryRunUnsupported({ message }: ApiMessage): boolean {
  return /does not support dry run/i.test(message);
}

/** Returns a class that a Pod names and that doesn't exist in the cluster. */
export function missingClass({
  message,
}: ApiMessage):
  | { readonly kind: "PriorityClass" | "RuntimeClass"; readonly name: string }
  | undefined {
  const [, priority] = /\bno PriorityClass with name (\S+) was found\b/.exec(message) ?? [];
  if (priority !== undefined) return { kind: "PriorityClass", name: priority };
  const [, runtime] = /\bRuntimeClass "([^"]+)" not found\b/.exec(message) ?? [];
  return runtime === undefined ? undefined : { kind: "RuntimeClass", name: runtime };
}

/**
 * Reports whether a Pod contradicts the class that it names, or the node rules of its namespace.
 * The messages are from admission plugins of Kubernetes itself.
 */
export function isClassConflict({ message }: ApiMessage): boolean {
  return [
    /\bis forbidden: conflict: runtimeClass\.scheduling\b/,
    /\bis forbidden: pod rejected: /,
    /\bmust not be provided in pod spec; priority admission controller computed\b/,
    /\bpod node label selector conflicts with its namespace node label selector\b/,
  ].some((words) => words.test(message));
}

/**
 * Reports whether a StorageClass doesn't allow the expansion of a claim.
 * The message is from the admission plugin PersistentVolumeClaimResize.
 */
export function isExpansionDenied({ message }: ApiMessage): boolean {
  return /\bonly dynamically provisioned pvc can be resized\b/.test(message);
}

export const expansionDenied =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
