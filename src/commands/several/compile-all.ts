import pMap from "p-map";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { JsonObject } from "../../model/json.ts";
import { catchProblems, UserError } from "../../model/problems/errors.ts";
import { distinct, type Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import type { CompileParts } from "../../sources/evaluate-deployment.ts";
import {
  type DeploymentSelection,
  listDeployments,
  nothingToDeploy,
} from "../../sources/list-deployments.ts";
import {
  type CompileOutput,
  compile,
  compileFiles,
  compileJson,
  compileText,
  type OutputFile,
} from "../compile.ts";

/** The compilation of one of several deployments. */
export interface DeploymentOutput {
  readonly name: string;
  readonly output: CompileOutput;
}

/**
 * The number of compilations that the workers can choose from. One worker should compile all
 * deployments with the same adapter.
 */
const atOnce = 64;

/**
 * Compiles every deployment of the repository, in the order of deployments.yaml.
 * Throws a UserError with all errors of all deployments. The output is complete, or there is none.
 */
export async function compileAll(
  world: World,
  selection: DeploymentSelection,
  inline: readonly string[],
  parts: CompileParts = {},
): Promise<readonly DeploymentOutput[]> {
  const deployments = await everyDeployment(world, selection);
  const results = await pMap(
    deployments,
    (deployment) => catchProblems(() => compile(world, deployment, inline, parts)),
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

/** Renders the output for stdout. The first document of each deployment names it in a comment. */
export function compileAllText(all: readonly DeploymentOutput[]): string {
  return all.map(({ name, output }) => `# deployment: ${name}\n${compileText(output)}`).join("");
}

/** Returns the output of `--format json`, keyed by deployment. */
export function compileAllJson(all: readonly DeploymentOutput[]): JsonObject {
  return Object.fromEntries(all.map(({ name, output }) => [name, compileJson(output)]));
}

/** Returns the files of `-o DIR`, with a directory for each deployment. */
export function compileAllFiles(all: readonly DeploymentOutput[]): ReadonlyMap<string, OutputFile> {
  return new Map(
    all.flatMap(({ name, output }) =>
      [...compileFiles(output)].map(([path, file]) => [`${name}/${path}`, file] as const),
    ),
  );
}

/**
 * Returns the warnings of all deployments. A warning that several deployments share is returned
 * once.
 */
export function warningsOfAll(all: readonly DeploymentOutput[]): readonly Problem[] {
  return distinct(all.flatMap(({ output }) => output.compilation.warnings));
}

async function everyDeployment(
  world: World,
  { config, deployment, params, namespace, context }: DeploymentSelection,
): Promise<readonly Deployment[]> {
  if (config !== undefined || deployment !== undefined) {
    throw new UserError([
      {
        code: "conflicting-flags",
        where: [],
        what: "--all can't be combined with --config or --deployment",
        why: "--all compiles every deployment",
        fix: "Remove --all",
        otherwise: ["remove --config and --deployment"],
      },
    ]);
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

/** Adds the deployment's name to an error without a place in a file. */
function placed(problem: Problem, deployment: Deployment | undefined): Problem {
  if (problem.where.length > 0 || deployment === undefined) return problem;
  const facts = [{ label: "deployment", value: deployment.name }, ...(problem.facts ?? [])];
  return { ...problem, facts };
}
