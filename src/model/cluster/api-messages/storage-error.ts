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
