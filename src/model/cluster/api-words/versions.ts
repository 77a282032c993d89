import { isUnreadable } from "./invalid-fields.ts";
import type { Said } from "./said.ts";

/**
 * The server could not convert the object to a version in which somebody's fields are recorded: it lacks a field, it is gone from the CRD,
 * or the conversion webhook does not know it any more. A field that the declared version lacks is told in some of the same words.
 */
export function isConversionRefused({ message }: Said): boolean {
  return (
    conversionWords.some((words) => words.test(message)) &&
    !isConversionUnavailable({ message }) &&
    !isUnreadable({ message })
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
export function isConversionUnavailable({ message }: Said): boolean {
  return message.includes("conversion webhook for ") && message.includes(' failed: Post "');
}

/** An API, a field or a value that a later version of the cluster will not have. */
export function isDeprecation({ message }: Said): boolean {
  return /\bis deprecated\b/.test(message);
}
