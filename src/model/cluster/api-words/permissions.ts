/** A permission that is missing, as RBAC names it. */
export interface MissingPermission {
  readonly verb: string;
  /** With its group, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

/** The right that the server's own refusal is about. What admission says may quote such a sentence, but never begins with it. */
export function missingPermission(message: string): MissingPermission | undefined {
  return /^(?:\S+(?: "[^"\n]*")? is forbidden: )?User "[^"\n]*" cannot /.test(message)
    ? missingPermissionWithin(message)
    : undefined;
}

/** The same in a sentence of ours that holds such a refusal. */
export function missingPermissionWithin(text: string): MissingPermission | undefined {
  const [, verb, resource, group = "", namespace] =
    /\bcannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?/.exec(
      text,
    ) ?? [];
  if (verb === undefined || resource === undefined) return undefined;
  return { verb, resource: group === "" ? resource : `${resource}.${group}`, namespace };
}
