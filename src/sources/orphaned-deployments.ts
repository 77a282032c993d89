import type { Deployment } from "../model/deployment.ts";
import { type JsonObject, textAt } from "../model/json.ts";
import type { Problem } from "../model/problems/problem.ts";
import { listed } from "../model/text/closest.ts";
import { deleteCommand } from "../model/text/delete-command.ts";
import type { Source } from "../ports/world.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { compileDeployment } from "./compile-deployment.ts";

/** A longer list of names doesn't help a reader. */
const namedObjects = 10;

/** Warns about a deployment with a new target. qvs doesn't delete the objects at the old one. */
export function movedAway(
  before: Deployment | undefined,
  { name, namespace, context }: Deployment,
): readonly Problem[] {
  if (before === undefined) return [];
  if (before.namespace === namespace && before.context === context) return [];
  const what = `"${name}" moves from ${place(before)} to ${place({ namespace, context })}: what it deployed stays where it is, and nothing deletes it`;
  return [{ code: "orphaned-deployment", where: [], what, fix: howToFind(before) }];
}

/** Returns the section of a deployment that was removed from the list. */
export async function removedDeployment(
  base: Source,
  deployment: Deployment,
  inline: readonly string[],
): Promise<DeploymentReport> {
  const compiled = await compileDeployment(base, deployment, inline, "show");
  const resources = compiled.ok ? compiled.value.compilation.resources : [];
  const objects = resources.flatMap((each) => (each.type === "manifest" ? [each.object] : []));
  const names = listNames(objects);
  const what = `"${deployment.name}" is removed, but what it deployed stays in ${place(deployment)}, and nothing deletes it${names}`;
  return {
    deployment,
    problems: [],
    blockers: [],
    orphanWarnings: [{ code: "orphaned-deployment", where: [], what, fix: howToFind(deployment) }],
    clusterState: { compared: false, because: "it is removed" },
  };
}

function place({ namespace, context }: Pick<Deployment, "namespace" | "context">): string {
  return `namespace ${namespace}${context === undefined ? "" : ` of context ${context}`}`;
}

function listNames(objects: readonly JsonObject[]): string {
  return objects.length === 0 ? "" : `: ${listed(objects.map(nameOfObject), namedObjects)}`;
}

function nameOfObject(object: JsonObject): string {
  const [kind, namespace, name] = [
    textAt(object, "kind"),
    textAt(object, "metadata", "namespace"),
    textAt(object, "metadata", "name"),
  ];
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function howToFind({ name, namespace, context }: Deployment): string {
  const command = deleteCommand({ name, namespace, context });
  return `If it must not stay, run this after the merge; it shows first what it deletes: ${command}`;
}
