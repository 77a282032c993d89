import { isDeniedByPolicy, isDeniedByWebhook } from "./admission.ts";
import type { Cause, Said } from "./said.ts";

/**
 * Whether a cause of a refusal says that its field can't be changed any more. A policy or a webhook that denies a change says "cannot be
 * changed" of what nobody may touch for now as well, which is no reason to recreate it: there only the word itself counts.
 */
export function isImmutable(said: Said): boolean {
  const isDenied = isDeniedByPolicy(said) || isDeniedByWebhook(said);
  const words = isDenied ? [immutableByName] : immutableWords;
  return words.some((each) => each.test(said.message));
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

type Refusal = Said & { readonly causes: readonly Cause[] };
