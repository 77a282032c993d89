import type { Deployment } from "../../model/deployment.ts";
import type { JsonObject } from "../../model/json.ts";
import { plural } from "../text/counts.ts";

/** Deployments by levels, as a person reads them: each level waits for the one above. */
export function changedText(
  levels: readonly (readonly Deployment[])[],
  listed: number,
  since: string | undefined,
): string {
  const all = levels.flat();
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  const lines = levels.flatMap((level, index) => [
    ...(levels.length > 1 ? [`Level ${index}`] : []),
    ...level.map((each) => `${levels.length > 1 ? "  " : ""}${lineOf(each, width)}`),
  ]);
  const told =
    since === undefined
      ? plural(listed, "deployment")
      : `${all.length} of ${plural(listed, "deployment")} changed since ${since}`;
  return [...lines, told].join("\n");
}

function lineOf({ name, environment, context, namespace }: Deployment, width: number): string {
  const place = [
    ...(environment === undefined ? [] : [`environment ${environment}`]),
    ...(context === undefined ? [] : [`context ${context}`]),
    `namespace ${namespace}`,
  ];
  return `${name.padEnd(width)}  ${place.join(", ")}`;
}

/** The same for programs; what is not set is null. */
export function changedJson(levels: readonly (readonly Deployment[])[]): JsonObject {
  const deployments = (level: readonly Deployment[]) => level.map(deploymentJson);
  return { levels: levels.map((level) => ({ deployments: deployments(level) })) };
}

function deploymentJson(deployment: Deployment): JsonObject {
  const { name, config, params, environment, context, namespace, dependsOn } = deployment;
  const place = { environment: environment ?? null, context: context ?? null, namespace };
  return { name, config, params: [...params], ...place, dependsOn: [...dependsOn] };
}
