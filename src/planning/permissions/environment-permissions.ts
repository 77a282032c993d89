import type { EnvironmentDeployment } from "../../model/deployment.ts";
import { failed, ok, type Result, resultProblems } from "../../model/problems/problem.ts";
import type { CommandPermission } from "./permission.ts";
import {
  type PermissionRequest,
  type RequiredPermissions,
  removeCovered,
  requiredPermissions,
} from "./required-permissions.ts";

/**
 * Returns the permissions for all environments of an entry, from those of one environment.
 * Kubernetes can't limit permissions to namespaces that match a pattern. Therefore, those within an
 * environment are cluster-wide.
 */
export function environmentPermissions(
  request: Omit<PermissionRequest, "command" | "byKind">,
  { recorded: { namespace } }: Pick<EnvironmentDeployment, "recorded">,
): Result<RequiredPermissions> {
  // Before a deployment, qvs plans like a preview, to find out whether the environment fits.
  const commands = ["deploy", "delete", "preview"] as const;
  const found = commands.map((command) =>
    requiredPermissions({ ...request, command, byKind: true }),
  );
  const problems = found.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const all = found.flatMap((each) => (each.ok ? [each.value] : []));
  const { name } = request.deployment;
  const rights = [...all.flatMap((each) => each.rights), listEverything];
  const widened = rights.map((right) => forEveryEnvironment(right, name, namespace));
  const assumed = [...new Set(all.flatMap((each) => each.assumed))].toSorted();
  return ok({ rights: removeCovered(widened), assumed });
}

function forEveryEnvironment(
  right: CommandPermission,
  deployment: string,
  namespace: string,
): CommandPermission {
  const isWithin = right.namespace === namespace;
  const isNamed = right.name === namespace || right.name?.includes(deployment) === true;
  // A pull request chooses the names of its objects. It must not choose the role of a binding.
  const isGranting = grantingVerbs.has(right.verb);
  return {
    ...right,
    namespace: isWithin ? undefined : right.namespace,
    name: (isWithin || isNamed) && !isGranting ? undefined : right.name,
  };
}

/** The verbs that give the permissions of the named object. */
const grantingVerbs: ReadonlySet<string> = new Set(["bind", "escalate", "impersonate"]);

const listEverything: CommandPermission = {
  namespace: undefined,
  group: "*",
  resource: "*",
  verb: "list",
  name: undefined,
  why: "Find the objects of others in a namespace before its deletion. It reads all Secrets, too.",
  without: "Without it, qvs keeps the namespaces of environments.",
};
