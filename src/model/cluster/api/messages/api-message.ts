import { isUnparsable } from "./invalid-fields.ts";

/**
 * An API server message for a fact that the reason in its Status doesn't express.
 * Most patterns for such messages are in this directory. `redaction/showable-refusal.ts` selects
 * the parts that qvs shows.
 */
export interface ApiMessage {
  readonly message: string;
}

interface ApiMessageWithFields extends ApiMessage {
  readonly causes: readonly { readonly field: string }[];
}

export type FieldCause = ApiMessage & { readonly field: string };

/**
 * Returns the owner of a field, from `conflict with "hpa" with subresource "scale" using apps/v1`.
 */
export function conflictOwner({ message }: ApiMessage): {
  readonly manager: string | undefined;
  readonly subresource: string;
} {
  return {
    manager: /conflict with "([^"]*)"/.exec(message)?.[1],
    subresource: / with subresource "([^"]*)"/.exec(message)?.[1] ?? "",
  };
}

/**
 * Reports whether the server gave up on merging a request because other clients kept changing the
 * object (`OptimisticLockErrorMsg` of its registry).
 */
export function isContended({ message }: ApiMessage): boolean {
  return message.includes(
    "the object has been modified; please apply your changes to the latest version",
  );
}

/**
 * Reports whether the uid in a request isn't the uid of the live object.
 * The server answers with 409 if the object was deleted, and with 422 if another object has its
 * name.
 */
export function isUidMismatch({ message, causes }: ApiMessageWithFields): boolean {
  const inCause = causes.some(({ field }) => field === "metadata.uid");
  return inCause || /uid mismatch|UID in precondition|metadata\.uid/.test(message);
}

/**
 * Reports whether a request exceeds the storage limit of etcd or the request limit of the API
 * server.
 */
export function isTooLarge({ message }: ApiMessage): boolean {
  return /\betcdserver: request is too large\b|\bRequest entity too large\b/.test(message);
}

export function isNamespaceTerminating({ message }: ApiMessage): boolean {
  return /because it is being terminated/.test(message);
}

export function missingNamespace({ message }: ApiMessage): string | undefined {
  return /^namespaces "([^"]+)" not found$/.exec(message)?.[1];
}

/**
 * Reports whether a message says that something wasn't found.
 * The server answers with 403 and such a message for a Pod whose ServiceAccount doesn't exist.
 */
export function mentionsNotFound({ message }: ApiMessage): boolean {
  return /not found/i.test(message);
}

/**
 * Reports whether another object has a value that must be unique.
 * Examples are a port or an address of Services, and the default PriorityClass.
 */
export function isValueTaken({ message }: ApiMessage): boolean {
  return /\bprovided (port|IP) is already allocated\b|\bis already marked as default\b/.test(
    message,
  );
}

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

/**
 * Returns the reason within a message about an object that the API server can't read from its
 * storage. Since Kubernetes 1.37, a list shows the storage's errors with their keys and codes
 * (StorageError and corruptObjectError in k8s.io/apiserver/pkg/storage). The reason is the same as
 * before, such as a conversion webhook that doesn't answer.
 */
export function withoutStorageDetails(message: string): string {
  const [, reason] = storageError.exec(message) ?? [];
  return reason ?? message;
}

const storageError =
  /\bStorageError: [^,]+, Code: \d+, Key: [^,]*, ResourceVersion: -?\d+, AdditionalErrorMsg: (?:[a-z ]+ revision=\d+: )?([^\n]+)/;
