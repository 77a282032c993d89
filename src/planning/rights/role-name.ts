import type { Deployment } from "../../model/deployment.ts";
import type { RightsCommand } from "./right.ts";

/** Two deployments of one name are told apart by the namespace of their releases, wherever both have a Role. */
export function roleName(
  command: RightsCommand,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  place: string | undefined,
): string {
  const own = `qvs-${command}-${name}`;
  return place === namespace ? own : `${own}.${namespace}`;
}
