import type { Deployment } from "../model/deployments/deployment.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";

/**
 * The deployments of one workflow job: one deployment, or several with the same environment and
 * context if there are too many.
 */
interface MatrixJob {
  /** The name of the job and of its artifact, unique in the run. */
  readonly name: string;
  /** The GitHub environment; empty for none. */
  readonly environment: string;
  /** The kubeconfig context; empty for the current one. */
  readonly context: string;
  /** Empty if the deployments have different namespaces. */
  readonly namespace: string;
  readonly deployments: readonly string[];
  /** The concurrency group. A rollback of the deployment uses the same one. */
  readonly group: string;
}

/**
 * The jobs by level. The jobs of a level can run in parallel after all earlier levels have
 * succeeded.
 */
export interface Matrix {
  readonly levels: readonly { readonly jobs: readonly MatrixJob[] }[];
}

/** https://docs.github.com/en/actions/reference/limits: a matrix can generate at most 256 jobs. */
const maxJobs = 256;
/** deploy.yml has one job per level, because a running workflow can't add jobs. */
const maxLevels = 10;

/**
 * The unit of a job: one deployment that succeeds or fails independently, or all deployments with
 * the same environment and context.
 */
export type JobGrouping = "deployment" | "place";

/**
 * Divides the levels into jobs. Returns a problem if a workflow can't run them all, because the
 * rest would stay undeployed without an error.
 */
export function buildMatrix(
  levels: readonly (readonly Deployment[])[],
  jobFor: JobGrouping = "deployment",
): Result<Matrix> {
  const chunked = levels.map((level) => splitLevel(level, jobFor));
  const problems = [
    ...(levels.length > maxLevels ? [levelsProblem(levels)] : []),
    ...chunked.flatMap((jobs, level) =>
      jobs.length > maxJobs ? [jobsProblem(level, jobs.length)] : [],
    ),
  ];
  return problems.length > 0
    ? failed(problems)
    : ok({ levels: chunked.map((jobs) => ({ jobs: jobs.map(toMatrixJob) })) });
}

type JobLevels = readonly (readonly Deployment[])[];

/**
 * Appends the deletions after all deployments. If the workflow has no room for them, they are left
 * out, so that they don't prevent a deployment.
 */
export function appendDeletionLevels(
  deploying: JobLevels,
  deleting: JobLevels,
): { readonly levels: JobLevels; readonly withoutRoom: readonly Deployment[] } {
  const levels = [...deploying, ...deleting];
  const fits = buildMatrix(levels).ok || !buildMatrix(deploying).ok;
  return fits ? { levels, withoutRoom: [] } : { levels: deploying, withoutRoom: deleting.flat() };
}

type DeploymentChunk = readonly [Deployment, ...Deployment[]];

/**
 * Returns one job per deployment, or the smallest jobs that fit into a level. A job's deployments
 * share its secrets and approval, so they also have the same environment and context.
 */
function splitLevel(level: readonly Deployment[], jobFor: JobGrouping): readonly DeploymentChunk[] {
  const places = [...Map.groupBy(level, environmentKey).values()];
  const jobCount = (size: number) =>
    places.reduce((sum, { length }) => sum + Math.ceil(length / size), 0);
  let size = jobFor === "place" ? level.length : 1;
  while (jobCount(size) > maxJobs && size < level.length) size += 1;
  return places
    .flatMap((deployments) => splitChunks(deployments, size))
    .toSorted(([a], [b]) => (a.name < b.name ? -1 : 1));
}

function environmentKey({ environment, context }: Deployment): string {
  return JSON.stringify([environment, context]);
}

/**
 * Divides deployments into chunks of similar size, because the longest job determines the duration
 * of a level.
 */
function splitChunks(deployments: readonly Deployment[], size: number): readonly DeploymentChunk[] {
  const chunks = Math.ceil(deployments.length / size);
  return Array.from({ length: chunks }, (_, index) =>
    deployments.slice(
      Math.floor((index * deployments.length) / chunks),
      Math.floor(((index + 1) * deployments.length) / chunks),
    ),
  ).flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others] as const]));
}

/**
 * Returns a job. The name of a deployment contains no dot, so the name of a job with several
 * deployments is unique.
 */
function toMatrixJob(deployments: DeploymentChunk): MatrixJob {
  const [first, ...others] = deployments;
  const namespaces = new Set(deployments.map(({ namespace }) => namespace));
  return {
    name: others.length === 0 ? first.name : `${first.name}.and-${others.length}-more`,
    environment: first.environment ?? "",
    context: first.context ?? "",
    namespace: namespaces.size === 1 ? first.namespace : "",
    deployments: deployments.map(({ name }) => name),
    group: `qvs-${first.name}`,
  };
}

function levelsProblem(levels: readonly (readonly Deployment[])[]): Problem {
  const last = levels.at(-1)?.[0]?.name ?? "";
  return {
    code: "too-many-jobs",
    where: [],
    what: `The changed deployments form ${levels.length} levels of dependencies`,
    facts: [
      { label: "limit", value: `${maxLevels} levels in the workflow` },
      { label: "last level", value: `"${last}"` },
    ],
    fix: "Shorten the chain of dependsOn",
    otherwise: [
      "choose fewer deployments with the input deployment",
      "deploy all of them in one job with the action itself",
    ],
  };
}

function jobsProblem(level: number, jobs: number): Problem {
  return {
    code: "too-many-jobs",
    where: [],
    what: `Level ${level} needs ${jobs} jobs`,
    facts: [{ label: "limit", value: `${maxJobs} jobs in a GitHub matrix` }],
    why: "Deployments with different environments or contexts need separate jobs",
    fix: "Divide the deployments among several workflows with the input deployment or config",
  };
}
