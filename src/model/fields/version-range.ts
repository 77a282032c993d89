/**
 * Describes the versions of Kubernetes with a kind or a field, such as "since Kubernetes 1.33".
 * `all` contains the known versions in ascending order; undefined if none has it.
 */
export function versionRange(found: readonly string[], all: readonly string[]): string | undefined {
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (last === all.at(-1)) return `since Kubernetes ${first}`;
  if (first === last && first !== all[0]) return `only in Kubernetes ${first}`;
  return first === all[0] ? `until Kubernetes ${last}` : `in Kubernetes ${first} to ${last}`;
}
