import type { CommandPermission, Permission, PermissionCommand } from "./permission.ts";
import type { PermissionInput } from "./permit.ts";
import { purposes } from "./purposes.ts";

/**
 * Returns the permissions that a command needs for this deployment, in the order of `purposes`,
 * without duplicates.
 */
export function commandPermissions(
  command: PermissionCommand,
  subject: PermissionInput,
): readonly CommandPermission[] {
  const permissions = purposes.flatMap(
    ({ why, requiredBy, optional, permissions: of }): CommandPermission[] => {
      const without = optional?.for.includes(command) ? optional.without : undefined;
      if (!requiredBy.includes(command) && without === undefined) return [];
      const purpose = without === undefined ? why : (optional?.why ?? why);
      return of(subject).map((right) => ({ ...right, why: purpose, without }));
    },
  );
  return removeCovered(permissions);
}

/** Removes the permissions that another one includes; required ones win over optional ones. */
function removeCovered(rights: readonly CommandPermission[]): readonly CommandPermission[] {
  const needed = new Set(rights.filter(({ without }) => without === undefined).map(permissionKey));
  const every = new Set(rights.map(permissionKey));
  const seen = new Set<string>();
  return rights.filter((right) => {
    const key = permissionKey(right);
    const given = right.without === undefined ? needed : every;
    const isBroader = broaderPermissions(right).some((other) => given.has(permissionKey(other)));
    const isSame = seen.has(key) || (right.without !== undefined && needed.has(key));
    if (isBroader || isSame) return false;
    seen.add(key);
    return true;
  });
}

/** Returns the permissions that include this one. */
function broaderPermissions(right: Permission): readonly Permission[] {
  const { namespace, name } = right;
  return [
    ...(name === undefined ? [] : [{ ...right, name: undefined }]),
    ...(namespace === undefined ? [] : [{ ...right, namespace: undefined }]),
    ...(name === undefined || namespace === undefined
      ? []
      : [{ ...right, name: undefined, namespace: undefined }]),
  ];
}

function permissionKey({ namespace, group, resource, verb, name }: Permission): string {
  return JSON.stringify([namespace ?? null, group, resource, verb, name ?? null]);
}
