import type { Fact, Problem } from "../../model/problems/problem.ts";
import { listFixes } from "../../model/problems/problem-text.ts";
import { summarizeList } from "../../model/text/closest.ts";
import type { Permission, PermissionCommand } from "./permission.ts";

/** Returns the action that grants all permissions of a command, for a fix in lower case. */
export function applyRolesAdvice(command: PermissionCommand, deployment: string): string {
  return `apply the roles that this command prints: ${rbacCommand(command, deployment)}`;
}

/** Reports whether a fix of the problem names the command that prints the roles. */
export function suggestsRoles(
  problem: Problem,
  command: PermissionCommand,
  deployment: string,
): boolean {
  return listFixes(problem).some((fix) => fix.includes(rbacCommand(command, deployment)));
}

function rbacCommand(command: PermissionCommand, deployment: string): string {
  return `qvs rbac ${command} -d ${deployment}`;
}

/** Reports missing permissions, with one problem for each resource and namespace. */
export function permissionProblems(
  rights: readonly Permission[],
  command: PermissionCommand,
  deployment: string,
): readonly Problem[] {
  const byResource = Map.groupBy(rights, ({ namespace, group, resource }) =>
    JSON.stringify([namespace, group, resource]),
  );
  return [...byResource.values()].map((same) => ({
    code: "missing-permission",
    what: `"${deployment}": this identity isn't allowed to ${permissionsText(same)}`,
    facts: objectsFact(same),
    fix: `Apply the roles that this command prints: ${rbacCommand(command, deployment)}`,
    where: [],
  }));
}

const maxListed = 5;

/** Returns the names of the objects; none if the permissions are for all objects. */
function objectsFact(rights: readonly Permission[]): readonly Fact[] {
  const names = [...new Set(rights.flatMap(({ name }) => name ?? []))].toSorted();
  const isOfAll = rights.some(({ name }) => name === undefined);
  return isOfAll || names.length === 0
    ? []
    : [{ label: "objects", value: summarizeList(names, maxListed) }];
}

/** Formats permissions: `create, patch services in namespace shop`. */
function permissionsText(rights: readonly Permission[]): string {
  const [{ group, resource, namespace } = { group: "", resource: "", namespace: undefined }] =
    rights;
  const verbs = [...new Set(rights.map(({ verb }) => verb))].toSorted();
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const what = group === "" ? resource : `${resource}.${group}`;
  return `${summarizeList(verbs, verbs.length)} ${what}${where}`;
}
