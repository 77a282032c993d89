import { UserError, userError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import type { JsonObject } from "../model/json.ts";
import { distinct, type Problem } from "../model/problem.ts";
import { catchProblems } from "./catch-problems.ts";
import { type CompileOutput, compile, compileFiles, compileJson, compileText } from "./compile.ts";
import { inParallel } from "./in-parallel.ts";
import { listDeployments, type Selection } from "./list-deployments.ts";
import type { World } from "./world.ts";

/** What one of several deployments compiles to. */
export interface DeploymentOutput {
  readonly name: string;
  readonly output: CompileOutput;
}

/** All that a worker may choose from: those of one adapter are best compiled by one. */
const atOnce = 64;

/**
 * Every deployment of the repository, in the order of deployments.yaml. Throws a UserError with everything that is wrong with
 * any of them: what is written in the end is whole.
 */
export async function compileAll(
  world: World,
  selection: Selection,
  inline: readonly string[],
  trace = false,
): Promise<readonly DeploymentOutput[]> {
  const deployments = await everyDeployment(world, selection);
  const results = await inParallel(deployments, atOnce, (deployment) =>
    catchProblems(() => compile(world, deployment, inline, trace)),
  );
  const problems = results.flatMap((result, index) =>
    result.ok ? [] : result.problems.map((problem) => placed(problem, deployments[index])),
  );
  if (problems.length > 0) throw new UserError(distinct(problems));
  return results.flatMap((result, index) => {
    const name = deployments[index]?.name;
    return result.ok && name !== undefined ? [{ name, output: result.value }] : [];
  });
}

/** For stdout: the first document of each deployment says whose it is. */
export function compileAllText(all: readonly DeploymentOutput[]): string {
  return all.map(({ name, output }) => `# deployment: ${name}\n${compileText(output)}`).join("");
}

/** For `--format json`, by the names of the deployments. */
export function compileAllJson(all: readonly DeploymentOutput[]): JsonObject {
  return Object.fromEntries(all.map(({ name, output }) => [name, compileJson(output)]));
}

/** For `-o DIR`: a folder for each deployment. */
export function compileAllFiles(all: readonly DeploymentOutput[]): ReadonlyMap<string, string> {
  return new Map(
    all.flatMap(({ name, output }) =>
      [...compileFiles(output)].map(([path, text]) => [`${name}/${path}`, text] as const),
    ),
  );
}

/** The warnings of all; what an adapter has to say to each of its users is said once. */
export function warningsOfAll(all: readonly DeploymentOutput[]): readonly Problem[] {
  return distinct(all.flatMap(({ output }) => output.compilation.warnings));
}

async function everyDeployment(
  world: World,
  { config, deployment, params, namespace, context }: Selection,
): Promise<readonly Deployment[]> {
  if (config !== undefined || deployment !== undefined) {
    throw userError(
      "--all compiles every deployment, so it goes with neither --config nor --deployment",
      "Leave out one of them",
    );
  }
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  if (!listed.ok) throw new UserError(listed.problems);
  return listed.value.map((each) => ({
    ...each,
    params: [...each.params, ...params],
    context: context ?? each.context,
    namespace: namespace ?? each.namespace,
  }));
}

/** What has no place in a file at least says whose problem it is. */
function placed(problem: Problem, deployment: Deployment | undefined): Problem {
  if (problem.where.length > 0 || deployment === undefined) return problem;
  return { ...problem, what: `${deployment.name}: ${problem.what}` };
}
