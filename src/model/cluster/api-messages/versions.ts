import type { ApiMessage } from "./api-message.ts";
import { isUnparsable } from "./invalid-fields.ts";

/**
 * Reports whether the server couldn't convert the object to a version of another field manager's
 * entry.
 * The version lacks a field, the CRD no longer has it, or the conversion webhook no longer supports
 * it. The server uses some of the same words for a field that the declared version lacks.
 */
export function isConversionRejected({ message }: ApiMessage): boolean {
  return (
    conversionPatterns.some((words) => words.test(message)) &&
    !isConversionUnavailable({ message }) &&
    !isUnparsable({ message })
  );
}

const conversionPatterns: readonly RegExp[] = [
  /\bfailed to convert\b/,
  /field not declared in schema/,
  /\bconvert CR (to|from) an invalid group\/version\b/,
  /^conversion webhook for .* failed: /,
  /\bis not registered for version\b|\bno kind "[^"]*" is registered\b/,
];

/** Reports whether the conversion webhook of a CRD didn't answer. This can be temporary. */
export function isConversionUnavailable({ message }: ApiMessage): boolean {
  return message.includes("conversion webhook for ") && message.includes(' failed: Post "');
}

/**
 * Reports whether a message is about an API, a field or a value that a later Kubernetes version
 * removes.
 */
export function isDeprecation({ message }: ApiMessage): boolean {
  return /\bis deprecated\b/.test(message);
}
