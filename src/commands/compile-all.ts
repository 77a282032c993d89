import pMap from "p-map";
import type { Deployment } from "../model/deployment.ts";
import type { JsonObject } from "../model/json.ts";
import { catchProblems, UserError, userError } from "../model/problems/errors.ts";
import { distinct, type Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import type { Asked } from "../sources/compile-deployment.ts";
import { listDeployments, nothingToDeploy, type Selection } from "../sources/list-deployments.ts";
import {
  type CompileOutput,
  compile,
  compileFiles,
  compileJson,
  compileText,
  type OutputFile,
} from "./compile.ts";

/** What one of several deployments compiles to. */
export interface DeploymentOutput {
  readonly name: string;
  readonly output: CompileOutput;
}

/** How many requests the workers can choose from: one worker should compile all that use the same adapter. */
const atOnce = 64;

/**
 * Every deployment of the repository, in the order of deployments.yaml. Throws a UserError with all errors of all of
 * them: the output is complete or absent.
 */
export async function compileAll(
  world: World,
  selection: Selection,
  inline: readonly string[],
  asked: Asked = {},
): Promise<readonly DeploymentOutput[]> {
  const deployments = await everyDeployment(world, selection);
  const results = await pMap(
    deployments,
    (deployment) => catchProblems(() => compile(world, deployment, inline, asked)),
    { concurrency: atOnce },
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

/** For stdout: the first document of each deployment names it. */
export function compileAllText(all: readonly DeploymentOutput[]): string {
  return all.map(({ name, output }) => `# deployment: ${name}\n${compileText(output)}`).join("");
}

/** For `--format json`, by the names of the deployments. */
export function compileAllJson(all: readonly DeploymentOutput[]): JsonObject {
  return Object.fromEntries(all.map(({ name, output }) => [name, compileJson(output)]));
}

/** For `-o DIR`: a folder for each deployment. */
export function compileAllFiles(all: readonly DeploymentOutput[]): ReadonlyMap<string, OutputFile> {
  return new Map(
    all.flatMap(({ name, output }) =>
      [...compileFiles(output)].map(([path, file]) => [`${name}/${path}`, file] as const),
    ),
  );
}

/** The warnings of all; a warning that an adapter causes for each of its users is shown once. */
export function warningsOfAll(all: readonly DeploymentOutput[]): readonly Problem[] {
  return distinct(all.flatMap(({ output }) => output.compilation.warnings));
}

async function everyDeployment(
  world: World,
  { config, deployment, params, namespace, context }: Selection,
): Promise<readonly Deployment[]> {
  if (config !== undefined || deployment !== undefined) {
    throw userError(
      "conflicting-flags",
      "--all compiles every deployment, so it cannot be combined with --config or --deployment",
      "Leave out one of them",
    );
  }
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  if (!listed.ok) throw new UserError(listed.problems);
  if (listed.value.length === 0) throw nothingToDeploy();
  return listed.value.map((each) => ({
    ...each,
    params: [...each.params, ...params],
    context: context ?? each.context,
    namespace: namespace ?? each.namespace,
  }));
}

/** A problem without a place in a file at least names its deployment. */
function placed(problem: Problem, deployment: Deployment | undefined): Problem {
  if (problem.where.length > 0 || deployment === undefined) return problem;
  return { ...problem, what: `${deployment.name}: ${problem.what}` };
}
