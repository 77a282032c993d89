import type { ApiMessage, FieldCause } from "./api-message.ts";
import { isDeniedByPolicy, isDeniedByWebhook } from "./denials.ts";

/**
 * Reports whether a cause says that its field is immutable.
 * A policy or webhook can also write "cannot be changed" for a temporary restriction, which is no
 * reason to recreate the object. From these, only the word "immutable" counts.
 */
export function isImmutable(apiMessage: ApiMessage): boolean {
  const isDenied = isDeniedByPolicy(apiMessage) || isDeniedByWebhook(apiMessage);
  const words = isDenied ? [immutableWord] : immutableWords;
  return words.some((each) => each.test(apiMessage.message));
}

const immutableWord = /\b(field|is|are|is now|are now) immutable\b/i;

/** The messages of Kubernetes' own kinds and of CRD authors. */
const immutableWords: readonly RegExp[] = [
  immutableWord,
  /immutable (after|once)/i,
  /may not change once set/i,
  /\b(cannot|can not|can't|may not|must not) be (changed|modified|updated|mutated)\b/i,
  /cannot change roleRef/i,
  /updates to \w+ are forbidden/i,
  /updates to \w+ spec for fields other than/i,
  /pod updates may not change fields other than/i,
  // A CRD validation rule without its own message.
  /failed rule: (self == oldSelf|oldSelf == self)$/,
];

/**
 * Reports whether an immutable field is the only reason for the rejection.
 * A webhook says so without naming a field.
 */
export function isOnlyImmutable({ message, causes }: MessageWithCauses): boolean {
  if (causes.length === 0) return isDeniedByWebhook({ message }) && isImmutable({ message });
  return causes.every((cause) => isImmutable(cause) || isWithinImmutable(cause, causes));
}

/**
 * Reports whether a cause is about a part of a field that another cause calls immutable.
 * For a Job template without its metadata, the server also reports that labels are missing. It
 * added those labels itself.
 */
export function isWithinImmutable({ field }: FieldCause, causes: readonly FieldCause[]): boolean {
  return causes.some(
    (other) =>
      isImmutable(other) &&
      other.field !== "" &&
      field.startsWith(other.field) &&
      /^[.[]/.test(field.slice(other.field.length)),
  );
}

type MessageWithCauses = ApiMessage & { readonly causes: readonly FieldCause[] };
