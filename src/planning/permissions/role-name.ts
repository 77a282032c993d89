import type { Deployment } from "../../model/deployment.ts";
import type { PermissionCommand } from "./permission.ts";

/**
 * Returns the name of a role.
 * Outside the namespace of the releases, it contains this namespace, because two deployments can
 * have the same name.
 */
export function roleName(
  command: PermissionCommand,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  place: string | undefined,
): string {
  const own = `qvs-${command}-${name}`;
  return place === namespace ? own : `${own}.${namespace}`;
}
