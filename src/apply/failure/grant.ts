/** What to allow, from the server's sentence about a missing right; undefined where it names none. */
export function grantFor(message: string): string | undefined {
  const [, verb, resource, group = "", namespace] =
    /\bcannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?/.exec(
      message,
    ) ?? [];
  if (verb === undefined || resource === undefined) return undefined;
  const kind = group === "" ? resource : `${resource}.${group}`;
  return namespace === undefined
    ? `allow ${verb} on ${kind} to this identity, in a Role or ClusterRole that is bound to it`
    : `allow ${verb} on ${kind} in namespace ${namespace} to this identity, in a Role that is bound to it there`;
}
