import { walkDepthFirst } from "../model/depth-first.ts";
import type { Problem } from "../model/problems/problem.ts";
import { closest } from "../model/text/closest.ts";
import type { Text } from "./yaml/shape.ts";

interface Dependent {
  readonly name: Text;
  readonly dependsOn: readonly Text[] | undefined;
}

/**
 * Checks that every name in `dependsOn` is a deployment of the list, and that there is no cycle.
 */
export function reportDependencies(deployments: readonly Dependent[], problems: Problem[]): void {
  const names = deployments.map(({ name }) => name.value);
  for (const { value, where } of deployments.flatMap(({ dependsOn }) => dependsOn ?? [])) {
    if (names.includes(value)) continue;
    const meant = closest(value, names);
    const fix =
      meant === undefined
        ? "Name one of the deployments of this file"
        : `Did you mean "${meant}"? Name one of the deployments of this file`;
    problems.push({
      code: "unknown-deployment",
      where: [where],
      what: `There is no deployment "${value}"`,
      fix,
    });
  }
  const cycle = findCycle(deployments);
  if (cycle !== undefined) problems.push(cycle);
}

/** Returns the first cycle as a problem. */
function findCycle(deployments: readonly Dependent[]): Problem | undefined {
  const byName = new Map(deployments.map((each) => [each.name.value, each]));
  const cycles: (readonly Text[])[] = [];
  walkDepthFirst<Text>(byName.keys(), {
    edgesOf: (name) => byName.get(name)?.dependsOn ?? [],
    targetOf: ({ value }) => value,
    leave: () => {},
    cycle: (edges) => cycles.push(edges.map(({ edge }) => edge)),
  });
  const [cycle] = cycles;
  return cycle === undefined ? undefined : describeCycle(cycle);
}

function describeCycle(edges: readonly Text[]): Problem {
  const names = edges.map(({ value }) => value);
  return {
    code: "dependency-cycle",
    where: edges.map(({ where }) => where),
    what: `These deployments wait for each other: ${[names.at(-1), ...names].join(" → ")}`,
    fix: "Remove one of them from dependsOn",
  };
}
