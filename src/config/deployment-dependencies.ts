import { walkDepthFirst } from "../model/depth-first.ts";
import type { Problem } from "../model/problems/problem.ts";
import { suggest } from "../model/problems/suggest.ts";
import { closest } from "../model/text/closest.ts";
import type { YamlText } from "./yaml/shape.ts";

interface Dependent {
  readonly name: YamlText;
  readonly dependsOn: readonly YamlText[] | undefined;
}

/**
 * Checks that every name in `dependsOn` is a deployment of the list, and that there is no cycle.
 */
export function reportDependencies(deployments: readonly Dependent[], problems: Problem[]): void {
  const names = deployments.map(({ name }) => name.value);
  for (const { value, where } of deployments.flatMap(({ dependsOn }) => dependsOn ?? [])) {
    if (names.includes(value)) continue;
    problems.push({
      code: "unknown-deployment",
      where: [where],
      what: `Deployment "${value}" doesn't exist`,
      ...suggest(closest(value, names), "Name a deployment of this file"),
    });
  }
  const cycle = findCycle(deployments);
  if (cycle !== undefined) problems.push(cycle);
}

/** Returns the first cycle as a problem. */
function findCycle(deployments: readonly Dependent[]): Problem | undefined {
  const byName = new Map(deployments.map((each) => [each.name.value, each]));
  const cycles: (readonly YamlText[])[] = [];
  walkDepthFirst<YamlText>(byName.keys(), {
    edgesOf: (name) => byName.get(name)?.dependsOn ?? [],
    targetOf: ({ value }) => value,
    leave: () => {},
    cycle: (edges) => cycles.push(edges.map(({ edge }) => edge)),
  });
  const [cycle] = cycles;
  return cycle === undefined ? undefined : describeCycle(cycle);
}

function describeCycle(edges: readonly YamlText[]): Problem {
  const names = edges.map(({ value }) => value);
  return {
    code: "dependency-cycle",
    where: edges.map(({ where }) => where),
    what: `Deployment "${names.at(-1)}" depends on itself`,
    facts: [{ label: "cycle", value: [names.at(-1), ...names].join(" → ") }],
    fix: "Remove one of these deployments from dependsOn",
  };
}
