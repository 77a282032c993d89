import type { Deployment } from "../../model/deployments/deployment.ts";
import type { JsonObject } from "../../model/json.ts";
import { plural } from "../text/counts.ts";

type DeploymentLevels = readonly (readonly Deployment[])[];

/** The deployments to deploy, then the removed ones to delete, each by levels. */
export interface ChangedLevels {
  readonly levels: DeploymentLevels;
  readonly deletions: DeploymentLevels;
}

/** Renders deployments by levels for a reader. Each level waits for the one above. */
export function changedText(
  { levels, deletions }: ChangedLevels,
  listed: number,
  since: string | undefined,
): string {
  const all = levels.flat();
  const removed = deletions.flat();
  const width = Math.max(0, ...[...all, ...removed].map(({ name }) => name.length));
  const lines = levels.flatMap((level, index) => [
    ...(levels.length > 1 ? [`Level ${index}`] : []),
    ...level.map((each) => `${levels.length > 1 ? "  " : ""}${deploymentLine(each, width)}`),
  ]);
  const summary =
    since === undefined
      ? plural(listed, "deployment")
      : `${all.length} of ${plural(listed, "deployment")} changed since ${since}`;
  const deletionLines = removed.map((each) => `  ${deploymentLine(each, width)}`);
  const deleted =
    deletionLines.length === 0
      ? []
      : ["Removed from the list, deleted afterwards:", ...deletionLines];
  return [...lines, ...deleted, summary].join("\n");
}

function deploymentLine(
  { name, environment, context, namespace }: Deployment,
  width: number,
): string {
  const place = [
    ...(environment === undefined ? [] : [`environment ${environment}`]),
    ...(context === undefined ? [] : [`context ${context}`]),
    `namespace ${namespace}`,
  ];
  return `${name.padEnd(width)}  ${place.join(", ")}`;
}

/** Returns the changed deployments as JSON. null stands for a value that isn't set. */
export function changedJson({ levels, deletions }: ChangedLevels): JsonObject {
  const shown = (all: DeploymentLevels) =>
    all.map((level) => ({ deployments: level.map(deploymentJson) }));
  return { levels: shown(levels), deletions: shown(deletions) };
}

function deploymentJson(deployment: Deployment): JsonObject {
  const { name, config, params, environment, context, namespace, dependsOn } = deployment;
  const place = { environment: environment ?? null, context: context ?? null, namespace };
  return { name, config, params: [...params], ...place, dependsOn: [...dependsOn] };
}
