import { minimatch } from "minimatch";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Fixes, Problem } from "../../model/problems/problem.ts";
import { suggestClosest, summarizeList } from "../../model/text/suggest.ts";

/** The inputs `config` and `deployment`. If both are set, both must match a deployment. */
export interface Choice {
  readonly globs: readonly string[];
  /**
   * The chosen names. Undefined chooses all deployments; an empty list from another job chooses
   * none.
   */
  readonly names: readonly string[] | undefined;
}

/**
 * Returns the chosen ones of `deployments`.
 * Throws a UserError for a choice that matches none of `known`, which is `deployments` by default.
 * Otherwise a mistyped name would silently never be deployed.
 */
export type ChooseDeployments = (
  deployments: readonly Deployment[],
  known?: readonly Deployment[],
) => readonly Deployment[];

export function createChooser(choice: Choice): ChooseDeployments {
  return (deployments, known = deployments) => {
    const problems = [
      ...(choice.names ?? []).flatMap((name) => nameProblem(name, choice, known)),
      ...choice.globs.flatMap((glob) => globProblem(glob, known)),
    ];
    if (problems.length > 0) throw new UserError(problems);
    return deployments.filter((deployment) => isChosen(deployment, choice));
  };
}

function isChosen({ name, config }: Deployment, { globs, names }: Choice): boolean {
  return (
    (names === undefined || names.includes(name)) &&
    (globs.length === 0 || globs.some((glob) => matches(config, glob)))
  );
}

function matches(config: string, glob: string): boolean {
  return minimatch(config, glob, { dot: true });
}

function nameProblem(
  name: string,
  { globs }: Choice,
  known: readonly Deployment[],
): readonly Problem[] {
  const named = known.filter((deployment) => deployment.name === name);
  if (named.length === 0) {
    const names = known.map((deployment) => deployment.name);
    const what = `Input deployment: "${name}" doesn't exist`;
    return [{ code: "unknown-deployment", where: [], what, ...choices(name, names) }];
  }
  if (named.some((deployment) => isChosen(deployment, { names: undefined, globs }))) return [];
  const configs = named.map(({ config }) => config).join(", ");
  return [
    {
      code: "unknown-deployment",
      where: [],
      what: `Input deployment: "${name}" is excluded by the input config`,
      fix: `Change the input config so that it matches ${configs}`,
      otherwise: ["remove one of the two inputs"],
    },
  ];
}

function globProblem(glob: string, known: readonly Deployment[]): readonly Problem[] {
  const configs = [...new Set(known.map(({ config }) => config))];
  if (configs.some((config) => matches(config, glob))) return [];
  const what = `Input config: "${glob}" matches no config of a deployment`;
  return [{ code: "unknown-deployment", where: [], what, ...choices(glob, configs) }];
}

/** The most choices that a fix lists. More are easier to look up in the repository. */
const maxChoices = 50;

function choices(given: string, all: readonly string[]): Fixes {
  if (all.length === 0)
    return {
      fix: "Write a config to .valuestream/qvs.yaml",
      otherwise: ["list deployments in .valuestream/deployments.yaml"],
    };
  return suggestClosest(
    given,
    all,
    `Choose one of these: ${summarizeList([...all].sort(), maxChoices)}`,
  );
}
