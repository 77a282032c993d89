import { admissionGroup } from "../../../governors.ts";
import { keyOf } from "../../../object.ts";
import { type ApiMessage, isConversionUnavailable } from "./api-message.ts";

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
 * Returns the keys of the policy and the binding from
 * `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: …`; none from another message.
 */
export function denyingPolicyKeys({ message }: ApiMessage): readonly string[] {
  const [, policy, binding] =
    /\bValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request\b/.exec(message) ??
    [];
  if (policy === undefined || binding === undefined) return [];
  const common = { group: admissionGroup, namespace: "" };
  return [
    keyOf({ ...common, kind: "ValidatingAdmissionPolicy", name: policy }),
    keyOf({ ...common, kind: "ValidatingAdmissionPolicyBinding", name: binding }),
  ];
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

interface NamedClass {
  readonly kind: string;
  readonly name: string;
}

/** Returns a class that a Pod names and that doesn't exist in the cluster. */
export function missingClass({ message }: ApiMessage): NamedClass | undefined {
  const [, priority] = /\bno PriorityClass with name (\S+) was found\b/.exec(message) ?? [];
  if (priority !== undefined) return { kind: "PriorityClass", name: priority };
  const [, runtime] = /\bRuntimeClass "([^"]+)" not found\b/.exec(message) ?? [];
  return runtime === undefined ? undefined : { kind: "RuntimeClass", name: runtime };
}

/** Returns the API server's message about a missing class that a Pod names. */
export function missingClassMessage({ kind, name }: NamedClass): string {
  return kind === "PriorityClass"
    ? `no PriorityClass with name ${name} was found`
    : `pod rejected: RuntimeClass "${name}" not found`;
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

/** Reports whether a rejection is from the labels, LimitRanges or ResourceQuotas of a namespace. */
export function isNamespaceRuleDenial(said: ApiMessage): boolean {
  return (
    isPodSecurityDenial(said) || isLimitRangeDenial(said) || rejectingQuota(said) !== undefined
  );
}

export function isQuotaExceeded({ message }: ApiMessage): boolean {
  return /exceeded quota/.test(message);
}

/**
 * Returns the name of the ResourceQuota that rejects an object.
 * It is exceeded, or it counts a resource that a Pod doesn't set.
 */
export function rejectingQuota({ message }: ApiMessage): string | undefined {
  return /\b(?:exceeded|failed) quota: ([^\s,:]+)/.exec(message)?.[1];
}

/**
 * Returns the amounts in a quota rejection, by resource:
 * `exceeded quota: most, requested: pods=1,limits.cpu=2, used: pods=2,limits.cpu=1, limited: …`.
 */
export function quotaExcesses({ message }: ApiMessage): readonly {
  readonly resource: string;
  readonly requested: string;
  readonly used: string;
  readonly limited: string;
}[] {
  const [, requestedText = "", counted = "", allowed = ""] =
    /\bexceeded quota: [^\s,]+, requested: (\S+), used: (\S+), limited: (\S*)/.exec(message) ?? [];
  const [used, limits] = [counted, allowed].map((text) => new Map(parseAmounts(text)));
  return parseAmounts(requestedText).map(([resource, requested]) => {
    const of = (amounts: ReadonlyMap<string, string> | undefined) => amounts?.get(resource) ?? "";
    return { resource, requested, used: of(used), limited: of(limits) };
  });
}

/**
 * Returns the resources that a quota counts and a Pod doesn't set:
 * `failed quota: most: must specify limits.cpu for: web; …`.
 */
export function unsetQuotaResources({ message }: ApiMessage): readonly string[] {
  const [, names = ""] = /\bfailed quota: \S+: must specify (.*)$/s.exec(message) ?? [];
  return names.split(/[,;]\s*/).flatMap((each) => each.split(" ")[0] || []);
}

function parseAmounts(text: string): readonly (readonly [string, string])[] {
  return text.split(",").flatMap((each) => {
    const [, resource, amount] = /^(.+)=([^=]*)$/.exec(each) ?? [];
    return resource === undefined || amount === undefined ? [] : [[resource, amount] as const];
  });
}

/**
 * Reports whether a rejection of one Pod or claim is from a LimitRange.
 * A quota that counts a resource which the Pod doesn't set also counts as such a limit.
 */
export function isLimitRangeDenial({ message }: ApiMessage): boolean {
  return (
    /\b(minimum|maximum) [\w./-]+ usage per (Pod|Container|PersistentVolumeClaim)\b/.test(
      message,
    ) ||
    /\bmax limit to request ratio per (Pod|Container)\b/.test(message) ||
    (message.includes(".resources.requests: ") &&
      /\bmust be less than or equal to [\w./-]+ limit\b/.test(message)) ||
    /\bmust be greater than or equal to aggregate container requests\b/.test(message) ||
    /\bmust be less than or equal to pod limits\b/.test(message) ||
    /\bfailed quota: \S+: must specify\b/.test(message)
  );
}

export function isPodSecurityDenial({ message }: ApiMessage): boolean {
  return /violates PodSecurity/.test(message);
}

/**
 * Returns the Pod Security Standard that a Pod violates:
 * `violates PodSecurity "restricted:v1.30": …`.
 */
export function enforcedStandard({
  message,
}: ApiMessage): { readonly level: string; readonly version: string } | undefined {
  const [, level, version] = /\bviolates PodSecurity "(\w+):([\w.]+)"/.exec(message) ?? [];
  return level === undefined || version === undefined ? undefined : { level, version };
}

/** A missing permission, as RBAC reports it. */
export interface MissingPermission {
  readonly verb: string;
  /** The plural with its group, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

/**
 * Returns the permission that a denial of the server itself reports as missing.
 * A message of admission can quote such a sentence, but it never begins with it.
 */
export function missingPermission(message: string): MissingPermission | undefined {
  return /^(?:\S+(?: "[^"\n]*")? is forbidden: )?User "[^"\n]*" cannot /.test(message)
    ? findMissingPermission(message)
    : undefined;
}

/** Returns the missing permission from a qvs message that contains such a denial. */
export function findMissingPermission(text: string): MissingPermission | undefined {
  const [, verb, resource, group = "", namespace] =
    /\bcannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?/.exec(
      text,
    ) ?? [];
  if (verb === undefined || resource === undefined) return undefined;
  return { verb, resource: group === "" ? resource : `${resource}.${group}`, namespace };
}

/** A webhook that the API server can't reach, because no process serves it. */
export interface UnservedWebhook {
  /** The name of the webhook, or the called address of a conversion webhook. */
  readonly name: string;
  /** The Service that the API server called. Undefined for a webhook with a URL. */
  readonly service: { readonly namespace: string; readonly name: string } | undefined;
  /** The reason in the API server's words. */
  readonly reason: string;
}

/**
 * Returns the webhook that made the API server reject a request, if its Service is missing or has
 * no endpoints, or if the connection is refused. Undefined for any other failure, such as a webhook
 * that answers with an error.
 */
export function unservedWebhook(failure: ApiMessage): UnservedWebhook | undefined {
  const { message } = failure;
  const [reason] = notServing.exec(message) ?? [];
  if (reason === undefined || !isWebhookUnavailable(failure)) return undefined;
  const [, name, namespace] = calledAddress.exec(message) ?? [];
  const service = name === undefined || namespace === undefined ? undefined : { namespace, name };
  const address = service === undefined ? "" : `${service.name}.${service.namespace}`;
  return { name: unavailableWebhook(failure) ?? address, service, reason };
}

const notServing =
  /no endpoints available for service "[^"]{1,253}"|service "[^"]{1,253}" not found|connect: connection refused/;

const calledAddress = /"https:\/\/([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc[:/]/;
