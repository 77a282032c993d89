import { deploymentLabel } from "../model/annotations.ts";
import type { Deployment } from "../model/deployment.ts";
import { type JsonObject, textAt } from "../model/json.ts";
import { listed } from "../model/listed.ts";
import type { Problem } from "../model/problem.ts";
import type { DeploymentReport } from "../report/comment-input.ts";
import { compileDeployment } from "./compile-deployment.ts";
import type { Source } from "./world.ts";

/** More names than these say no more. */
const namedObjects = 10;

/** A deployment that is aimed elsewhere from now on; what it has deployed so far is nobody's to delete. */
export function movedAway(
  before: Deployment | undefined,
  { name, namespace, context }: Deployment,
): readonly Problem[] {
  if (before === undefined) return [];
  if (before.namespace === namespace && before.context === context) return [];
  const what = `"${name}" moves from ${place(before)} to ${place({ namespace, context })}: what it deployed stays where it is, and nothing deletes it`;
  return [{ where: [], what, fix: howToFind(before) }];
}

/** The section of a deployment that is gone from the list. */
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
    planProblems: [],
    leftBehind: [{ where: [], what, fix: howToFind(deployment) }],
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
  const where = context === undefined ? "" : ` --context ${context}`;
  return `If it is not to stay, delete it by hand after the merge. To see it, run: kubectl get all,configmaps,secrets -n ${namespace}${where} -l ${deploymentLabel}=${name}`;
}
