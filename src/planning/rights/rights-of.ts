import { purposes } from "./purposes.ts";
import type { NeededRight, Right, RightsCommand } from "./right.ts";
import type { RightsSubject } from "./rights-to.ts";

/**
 * Returns the permissions that a command needs for this deployment, in the order of `purposes`,
 * without duplicates.
 */
export function rightsOf(command: RightsCommand, subject: RightsSubject): readonly NeededRight[] {
  const rights = purposes.flatMap(({ why, needed, optional, rights: of }): NeededRight[] => {
    const without = optional?.for.includes(command) ? optional.without : undefined;
    if (!needed.includes(command) && without === undefined) return [];
    const purpose = without === undefined ? why : (optional?.why ?? why);
    return of(subject).map((right) => ({ ...right, why: purpose, without }));
  });
  return withoutCovered(rights);
}

/** Removes the permissions that another one includes; required ones win over optional ones. */
function withoutCovered(rights: readonly NeededRight[]): readonly NeededRight[] {
  const needed = new Set(rights.filter(({ without }) => without === undefined).map(keyOfRight));
  const every = new Set(rights.map(keyOfRight));
  const seen = new Set<string>();
  return rights.filter((right) => {
    const key = keyOfRight(right);
    const given = right.without === undefined ? needed : every;
    const isBroader = broader(right).some((other) => given.has(keyOfRight(other)));
    const isSame = seen.has(key) || (right.without !== undefined && needed.has(key));
    if (isBroader || isSame) return false;
    seen.add(key);
    return true;
  });
}

/** Returns the permissions that include this one. */
function broader(right: Right): readonly Right[] {
  const { namespace, name } = right;
  return [
    ...(name === undefined ? [] : [{ ...right, name: undefined }]),
    ...(namespace === undefined ? [] : [{ ...right, namespace: undefined }]),
    ...(name === undefined || namespace === undefined
      ? []
      : [{ ...right, name: undefined, namespace: undefined }]),
  ];
}

function keyOfRight({ namespace, group, resource, verb, name }: Right): string {
  return JSON.stringify([namespace ?? null, group, resource, verb, name ?? null]);
}
