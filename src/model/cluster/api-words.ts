/**
 * What the API server says in English alone: its Status has no reason for these. Nothing else decides by its sentences, but
 * for `redaction/showable-refusal.ts`, which chooses what of them is shown.
 */
interface Said {
  readonly message: string;
}

interface SaidOfFields extends Said {
  readonly causes: readonly { readonly field: string }[];
}

/** A permission that is missing, as RBAC names it. */
export interface MissingPermission {
  readonly verb: string;
  /** With its group, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

/** The right that the server's own refusal is about. What admission says may quote such a sentence, but never begins with it. */
export function missingPermission(message: string): MissingPermission | undefined {
  return /^(?:\S+(?: "[^"\n]*")? is forbidden: )?User "[^"\n]*" cannot /.test(message)
    ? missingPermissionWithin(message)
    : undefined;
}

/** The same in a sentence of ours that holds such a refusal. */
export function missingPermissionWithin(text: string): MissingPermission | undefined {
  const [, verb, resource, group = "", namespace] =
    /\bcannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?/.exec(
      text,
    ) ?? [];
  if (verb === undefined || resource === undefined) return undefined;
  return { verb, resource: group === "" ? resource : `${resource}.${group}`, namespace };
}

export function isQuotaExceeded({ message }: Said): boolean {
  return /exceeded quota/.test(message);
}

/** The name of the ResourceQuota that is exceeded, or that counts a resource which a Pod does not set. */
export function refusingQuota({ message }: Said): string | undefined {
  return /\b(?:exceeded|failed) quota: ([^\s,:]+)/.exec(message)?.[1];
}

/** What a quota lacks, by resource: `exceeded quota: most, requested: pods=1,limits.cpu=2, used: pods=2,limits.cpu=1, limited: …`. */
export function excessesOf({ message }: Said): readonly {
  readonly resource: string;
  readonly requested: string;
  readonly used: string;
  readonly limited: string;
}[] {
  const [, asked = "", counted = "", allowed = ""] =
    /\bexceeded quota: [^\s,]+, requested: (\S+), used: (\S+), limited: (\S*)/.exec(message) ?? [];
  const [used, limits] = [counted, allowed].map((text) => new Map(amountsIn(text)));
  return amountsIn(asked).map(([resource, requested]) => {
    const of = (amounts: ReadonlyMap<string, string> | undefined) => amounts?.get(resource) ?? "";
    return { resource, requested, used: of(used), limited: of(limits) };
  });
}

/** The resources that a quota counts and a Pod does not set: `failed quota: most: must specify limits.cpu for: web; …`. */
export function unspecified({ message }: Said): readonly string[] {
  const [, names = ""] = /\bfailed quota: \S+: must specify (.*)$/s.exec(message) ?? [];
  return names.split(/[,;]\s*/).flatMap((each) => each.split(" ")[0] || []);
}

function amountsIn(text: string): readonly (readonly [string, string])[] {
  return text.split(",").flatMap((each) => {
    const [, resource, amount] = /^(.+)=([^=]*)$/.exec(each) ?? [];
    return resource === undefined || amount === undefined ? [] : [[resource, amount] as const];
  });
}

/** The verdict of a policy of the cluster, a webhook's included. */
export function isDeniedByAdmission({ message }: Said): boolean {
  return /denied (the )?request|violates PodSecurity/.test(message);
}

export function isPodSecurity({ message }: Said): boolean {
  return /violates PodSecurity/.test(message);
}

/** By which of the Pod Security Standards a Pod is refused: `violates PodSecurity "restricted:v1.30": …`. */
export function enforcedStandard({
  message,
}: Said): { readonly level: string; readonly version: string } | undefined {
  const [, level, version] = /\bviolates PodSecurity "(\w+):([\w.]+)"/.exec(message) ?? [];
  return level === undefined || version === undefined ? undefined : { level, version };
}

/** Of etcd, which has its own limit for what it stores, or of the API server, which reads no more. */
export function isTooLarge({ message }: Said): boolean {
  return /\betcdserver: request is too large\b|\bRequest entity too large\b/.test(message);
}

/** What a LimitRange, or a quota that counts a resource which the Pod does not set, says of one Pod or claim. */
export function isAboutLimits({ message }: Said): boolean {
  return (
    /\b(minimum|maximum) [\w./-]+ usage per (Pod|Container|PersistentVolumeClaim)\b/.test(
      message,
    ) ||
    /\bmax limit to request ratio per (Pod|Container)\b/.test(message) ||
    /\.resources\.requests: .*\bmust be less than or equal to [\w./-]+ limit\b/.test(message) ||
    /\bmust be greater than or equal to aggregate container requests\b/.test(message) ||
    /\bmust be less than or equal to pod limits\b/.test(message) ||
    /\bfailed quota: \S+: must specify\b/.test(message)
  );
}

/** A claim is to grow, and its StorageClass does not let it (the admission plugin PersistentVolumeClaimResize). */
export function isAboutGrowth({ message }: Said): boolean {
  return /\bonly dynamically provisioned pvc can be resized\b/.test(message);
}

/** What the server says by the labels, the LimitRanges and the ResourceQuotas of a namespace. */
export function isByNamespaceRules(said: Said): boolean {
  return isPodSecurity(said) || isAboutLimits(said) || refusingQuota(said) !== undefined;
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

/** A key of matchLabelKeys or mismatchLabelKeys that the labelSelector beside it names, too. */
export function isAboutSelectorKeys({ message }: Said): boolean {
  return /exists in both \w+LabelKeys and labelSelector/.test(message);
}

/** Without the name of the object, which the server may have made up: `Pod "web-x7k2p" is invalid: spec.…` → `spec.…`. */
export function withoutSubject({ message }: Said): string {
  return message.replace(/^\S+ "[^"]*" is (invalid|forbidden): /, "");
}

/**
 * The fields that a kind does not have, or has for values of another type, in the words of the strict decoder (`unknown field "spec.replica"`)
 * and of Server-Side Apply (`.spec.replica: field not declared in schema`, `.data.password: expected string, got …`).
 */
export function misfitFields({ message }: Said): readonly string[] {
  const words =
    /\bunknown field "([^"]+)"|(?<=\s)\.(\S+): (?:field not declared in schema|expected )/g;
  return [...message.matchAll(words)].map(([, decoded, applied = ""]) => decoded ?? applied);
}

/** A value that is not Base64, such as one of a Secret, which the server answers as if it were its own failure. */
export function isNotBase64({ message }: Said): boolean {
  return /illegal base64 data/.test(message);
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

export function isNamespaceTerminating({ message }: Said): boolean {
  return /because it is being terminated/.test(message);
}

export function missingNamespace({ message }: Said): string | undefined {
  return /^namespaces "([^"]+)" not found$/.exec(message)?.[1];
}

/** A Pod whose ServiceAccount is missing is answered 403 with this. */
export function isNotFoundInWords({ message }: Said): boolean {
  return /not found/i.test(message);
}

/** The server's two answers to a uid that is not that of the object (409 when it was deleted, 422 when it is another). */
export function isAnotherObject({ message, causes }: SaidOfFields): boolean {
  const inCause = causes.some(({ field }) => field === "metadata.uid");
  return inCause || /uid mismatch|UID in precondition|metadata\.uid/.test(message);
}

/**
 * The server has tried to merge what was sent into an object that others kept changing, and has given up
 * (`OptimisticLockErrorMsg` of its registry).
 */
export function isContended({ message }: Said): boolean {
  return message.includes(
    "the object has been modified; please apply your changes to the latest version",
  );
}

/**
 * The server could not convert the object to a version in which somebody's fields are recorded: it lacks a field, it is gone from the CRD,
 * or the conversion webhook does not know it any more. A field that the declared version lacks is told in some of the same words.
 */
export function isConversionRefused({ message }: Said): boolean {
  return (
    conversionWords.some((words) => words.test(message)) && !isConversionUnavailable({ message })
  );
}

const conversionWords: readonly RegExp[] = [
  /\bfailed to convert\b/,
  /field not declared in schema/,
  /\bconvert CR (to|from) an invalid group\/version\b/,
  /^conversion webhook for .* failed: /,
  /\bis not registered for version\b|\bno kind "[^"]*" is registered\b/,
];

/** Whoever converts between the versions of a CRD did not answer, which may be over in a moment. */
function isConversionUnavailable({ message }: Said): boolean {
  return /conversion webhook for .* failed: Post "/s.test(message);
}

/** An API, a field or a value that a later version of the cluster will not have. */
export function isDeprecation({ message }: Said): boolean {
  return /\bis deprecated\b/.test(message);
}

const immutableByName = /\b(field|is|are|is now|are now) immutable\b/i;

/** Of Kubernetes' own kinds, and as authors of definitions say it. */
const immutableWords: readonly RegExp[] = [
  immutableByName,
  /immutable (after|once)/i,
  /may not change once set/i,
  /\b(cannot|can not|can't|may not|must not) be (changed|modified|updated|mutated)\b/i,
  /cannot change roleRef/i,
  /updates to \w+ are forbidden/i,
  /updates to \w+ spec for fields other than/i,
  /pod updates may not change fields other than/i,
  // A rule of a definition without a message of its own.
  /failed rule: (self == oldSelf|oldSelf == self)$/,
];

/**
 * Whether a cause of a refusal says that its field can't be changed any more. A policy or a webhook that denies a change says "cannot be
 * changed" of what nobody may touch for now as well, which is no reason to recreate it: there only the word itself counts.
 */
export function isImmutable(said: Said): boolean {
  const isDenied = isDeniedByPolicy(said) || isDeniedByWebhook(said);
  const words = isDenied ? [immutableByName] : immutableWords;
  return words.some((each) => each.test(said.message));
}

/** Whether nothing is wrong but that something can't be changed any more. A webhook says so without naming a field. */
export function isOnlyImmutable({ message, causes }: Refusal): boolean {
  if (causes.length === 0) return isDeniedByWebhook({ message }) && isImmutable({ message });
  return causes.every((cause) => isImmutable(cause) || isWithinImmutable(cause, causes));
}

/**
 * Whether a cause is about a part that another cause says can't be changed at all: of a Job's template without its metadata the server
 * also says that the labels are missing which it has put there itself.
 */
export function isWithinImmutable({ field }: Cause, causes: readonly Cause[]): boolean {
  return causes.some(
    (other) =>
      isImmutable(other) &&
      other.field !== "" &&
      field.startsWith(other.field) &&
      /^[.[]/.test(field.slice(other.field.length)),
  );
}

type Cause = Said & { readonly field: string };

type Refusal = Said & { readonly causes: readonly Cause[] };

/** Two items of a list have the same name, or the same of something else that must differ. */
export function isDuplicate({ message }: Said): boolean {
  return /\bDuplicate value\b/i.test(message);
}

/** A volume has several sources, of which one may be live alone: the server's default, or what another manager has put there. */
export function isSecondSource({ message }: Said): boolean {
  return /\bmay not specify more than 1 volume type\b/.test(message);
}

/** Of a Pod with such a volume the server also says that containers mount a volume that is not there. */
export function isAfterSecondSource({ field }: Cause, causes: readonly Cause[]): boolean {
  return /\.volumeMounts\[\d+\]\.name$/.test(field) && causes.some(isSecondSource);
}

/** Who owns a field, from `conflict with "hpa" with subresource "scale" using apps/v1`. */
export function conflictOwner({ message }: Said): {
  readonly manager: string | undefined;
  readonly subresource: string;
} {
  return {
    manager: /conflict with "([^"]*)"/.exec(message)?.[1],
    subresource: / with subresource "([^"]*)"/.exec(message)?.[1] ?? "",
  };
}
