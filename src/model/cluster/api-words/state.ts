import type { Said, SaidOfFields } from "./said.ts";

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

/**
 * The server has tried to merge what was sent into an object that others kept changing, and has given up
 * (`OptimisticLockErrorMsg` of its registry).
 */
export function isContended({ message }: Said): boolean {
  return message.includes(
    "the object has been modified; please apply your changes to the latest version",
  );
}

/** The server's two answers to a uid that is not that of the object (409 when it was deleted, 422 when it is another). */
export function isAnotherObject({ message, causes }: SaidOfFields): boolean {
  const inCause = causes.some(({ field }) => field === "metadata.uid");
  return inCause || /uid mismatch|UID in precondition|metadata\.uid/.test(message);
}

/** Of etcd, which has its own limit for what it stores, or of the API server, which reads no more. */
export function isTooLarge({ message }: Said): boolean {
  return /\betcdserver: request is too large\b|\bRequest entity too large\b/.test(message);
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

/** Another object has what only one may have: a port or an address of Services, or to be the default PriorityClass. */
export function isTaken({ message }: Said): boolean {
  return /\bprovided (port|IP) is already allocated\b|\bis already marked as default\b/.test(
    message,
  );
}
