/** A missing permission, as RBAC reports it. */
export interface MissingPermission {
  readonly verb: string;
  /** The plural with its group, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

/**
 * Returns the permission that a denial of the server itself reports as missing.
 * A message of admission can quote such a sentence, but it never begins with it.
 */
export function missingPermission(message: string): MissingPermission | undefined {
  return /^(?:\S+(?: "[^"\n]*")? is forbidden: )?User "[^"\n]*" cannot /.test(message)
    ? findMissingPermission(message)
    : undefined;
}

/** Returns the missing permission from a qvs message that contains such a denial. */
export function findMissingPermission(text: string): MissingPermission | undefined {
  const [, verb, resource, group = "", namespace] =
    /\bcannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?/.exec(
      text,
    ) ?? [];
  if (verb === undefined || resource === undefined) return undefined;
  return { verb, resource: group === "" ? resource : `${resource}.${group}`, namespace };
}
