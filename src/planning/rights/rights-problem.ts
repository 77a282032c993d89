import type { Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import type { Right, RightsCommand } from "./right.ts";

/** Returns the command that prints the roles. */
export function rbacCommand(command: RightsCommand, deployment: string): string {
  return `qvs rbac ${command} -d ${deployment}`;
}

/** Reports missing permissions, with one problem for each resource and namespace. */
export function rightsProblems(
  rights: readonly Right[],
  command: RightsCommand,
  deployment: string,
): readonly Problem[] {
  const byResource = Map.groupBy(rights, ({ namespace, group, resource }) =>
    JSON.stringify([namespace, group, resource]),
  );
  return [...byResource.values()].map((same) => ({
    code: "missing-permission",
    what: `Cannot ${command} "${deployment}": this identity may not ${rightsText(same)}`,
    fix: `Allow it; \`${rbacCommand(command, deployment)}\` prints the roles`,
    where: [],
  }));
}

const most = 5;

/** Formats permissions: `create, patch services (web) in namespace shop`. */
function rightsText(rights: readonly Right[]): string {
  const [{ group, resource, namespace } = { group: "", resource: "", namespace: undefined }] =
    rights;
  const verbs = [...new Set(rights.map(({ verb }) => verb))].toSorted();
  const names = [...new Set(rights.flatMap(({ name }) => name ?? []))].toSorted();
  const isOfAll = rights.some(({ name }) => name === undefined);
  const which = isOfAll || names.length === 0 ? "" : ` (${listed(names, most)})`;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const what = group === "" ? resource : `${resource}.${group}`;
  return `${listed(verbs, verbs.length)} ${what}${which}${where}`;
}
