import type { Deployment } from "../model/deployments/deployment.ts";
import { type JsonObject, textAt } from "../model/json.ts";
import type { Problem } from "../model/problems/problem.ts";
import { deleteCommand } from "../model/text/qvs-commands.ts";
import { summarizeList } from "../model/text/suggest.ts";
import type { ConfigSource } from "../ports/world.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { compileDeployment } from "./compile-deployment.ts";

/** A longer list of names doesn't help a reader. */
const namedObjects = 10;

/** Warns about a deployment with a new target. qvs doesn't delete the objects at the old one. */
export function targetChangeWarnings(
  before: Deployment | undefined,
  { name, namespace, context }: Deployment,
): readonly Problem[] {
  if (before === undefined) return [];
  if (before.namespace === namespace && before.context === context) return [];
  return [
    {
      code: "orphaned-deployment",
      where: [],
      what: `Deployment "${name}" leaves its objects in ${place(before)}`,
      facts: [{ label: "moves to", value: place({ namespace, context }) }],
      why: "qvs doesn't delete the objects at the old place",
      fix: deletionFix(before),
    },
  ];
}

/**
 * Warns about a deployment whose list names a new target. If a flag chose the target, the objects
 * at the listed one still belong to the deployment.
 */
export function listedTargetWarnings(
  before: Deployment,
  listed: readonly Deployment[],
  deployment: Deployment,
): readonly Problem[] {
  const entry = listed.find(({ name }) => name === deployment.name);
  const isListed =
    entry?.namespace === deployment.namespace && entry.context === deployment.context;
  return isListed ? targetChangeWarnings(before, deployment) : [];
}

/** Returns the section of a deployment that was removed from the list. */
export async function removedDeployment(
  base: ConfigSource,
  deployment: Deployment,
  inline: readonly string[],
): Promise<DeploymentReport> {
  const compiled = await compileDeployment(base, deployment, inline, "show");
  const resources = compiled.ok ? compiled.value.compilation.resources : [];
  const objects = resources.flatMap((each) => (each.type === "manifest" ? [each.object] : []));
  const warning: Problem = {
    code: "orphaned-deployment",
    where: [],
    what: `Removed deployment "${deployment.name}" leaves its objects in ${place(deployment)}`,
    ...(objects.length === 0 ? {} : { facts: [{ label: "objects", value: listNames(objects) }] }),
    why: "qvs doesn't delete them",
    fix: deletionFix(deployment),
  };
  return {
    deployment,
    problems: [],
    blockers: [],
    orphanWarnings: [warning],
    clusterState: { compared: false, because: "it is removed" },
  };
}

function place({ namespace, context }: Pick<Deployment, "namespace" | "context">): string {
  return `namespace ${namespace}${context === undefined ? "" : ` of context ${context}`}`;
}

function listNames(objects: readonly JsonObject[]): string {
  return summarizeList(objects.map(nameOfObject), namedObjects);
}

function nameOfObject(object: JsonObject): string {
  const [kind, namespace, name] = [
    textAt(object, "kind"),
    textAt(object, "metadata", "namespace"),
    textAt(object, "metadata", "name"),
  ];
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function deletionFix({ name, namespace, context }: Deployment): string {
  const command = deleteCommand({ name, namespace, context });
  return `Run this after the merge to list the objects and delete them: ${command}`;
}
