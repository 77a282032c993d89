import type { Deployment } from "../model/deployment.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";

/** What one job of a workflow deploys: one deployment, or several of the same environment and context where there are too many for that. */
interface MatrixJob {
  /** Unique in the run; also that of the job's artifact. */
  readonly name: string;
  /** GitHub environment; empty for none. */
  readonly environment: string;
  /** kubeconfig context; empty for the current one. */
  readonly context: string;
  /** Empty where the deployments have several. */
  readonly namespace: string;
  readonly deployments: readonly string[];
  /** Concurrency group, the same in which a rollback of the deployment waits. */
  readonly group: string;
}

/** Jobs of a level may run side by side once those of all earlier levels have succeeded. */
export interface Matrix {
  readonly levels: readonly { readonly jobs: readonly MatrixJob[] }[];
}

/** https://docs.github.com/en/actions/reference/limits: a matrix makes 256 jobs at most. */
const mostJobs = 256;
/** deploy.yml has a job for each, since a workflow can't make its jobs while it runs. */
const mostLevels = 10;

/** What a job is for: a deployment, which succeeds or fails for itself, or all that share an environment and a context. */
export type JobFor = "deployment" | "place";

/** The levels as jobs. A problem where they are more than a workflow can have: what is left out would not be deployed, without a word. */
export function matrixOf(
  levels: readonly (readonly Deployment[])[],
  jobFor: JobFor = "deployment",
): Result<Matrix> {
  const chunked = levels.map((level) => jobsOf(level, jobFor));
  const problems = [
    ...(levels.length > mostLevels ? [tooManyLevels(levels)] : []),
    ...chunked.flatMap((jobs, level) =>
      jobs.length > mostJobs ? [tooManyPlaces(level, jobs.length)] : [],
    ),
  ];
  return problems.length > 0
    ? failed(problems)
    : ok({ levels: chunked.map((jobs) => ({ jobs: jobs.map(jobOf) })) });
}

type Levels = readonly (readonly Deployment[])[];

/** Deletions come after everything else, and what has no room in a workflow must not keep that from being deployed. */
export function levelsWithDeletions(
  deploying: Levels,
  deleting: Levels,
): { readonly levels: Levels; readonly withoutRoom: readonly Deployment[] } {
  const levels = [...deploying, ...deleting];
  const fits = matrixOf(levels).ok || !matrixOf(deploying).ok;
  return fits ? { levels, withoutRoom: [] } : { levels: deploying, withoutRoom: deleting.flat() };
}

type Chunk = readonly [Deployment, ...Deployment[]];

/** One deployment a job, else as few as make the level fit. Those of one job share its secrets and approval, so also environment and context. */
function jobsOf(level: readonly Deployment[], jobFor: JobFor): readonly Chunk[] {
  const places = [...Map.groupBy(level, placeOf).values()];
  const jobsBy = (size: number) =>
    places.reduce((sum, { length }) => sum + Math.ceil(length / size), 0);
  let size = jobFor === "place" ? level.length : 1;
  while (jobsBy(size) > mostJobs && size < level.length) size += 1;
  return places
    .flatMap((deployments) => chunksOf(deployments, size))
    .toSorted(([a], [b]) => (a.name < b.name ? -1 : 1));
}

function placeOf({ environment, context }: Deployment): string {
  return JSON.stringify([environment, context]);
}

/** Of even sizes, since the longest one decides how long the level takes. */
function chunksOf(deployments: readonly Deployment[], size: number): readonly Chunk[] {
  const chunks = Math.ceil(deployments.length / size);
  return Array.from({ length: chunks }, (_, index) =>
    deployments.slice(
      Math.floor((index * deployments.length) / chunks),
      Math.floor(((index + 1) * deployments.length) / chunks),
    ),
  ).flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others] as const]));
}

/** A deployment's name has no dot, so that of a job with several is nobody else's. */
function jobOf(deployments: Chunk): MatrixJob {
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

function tooManyLevels(levels: readonly (readonly Deployment[])[]): Problem {
  const last = levels.at(-1)?.[0]?.name ?? "";
  return {
    code: "too-many-jobs",
    where: [],
    what: `The changed deployments wait for each other in ${levels.length} levels, and the workflow has ${mostLevels}: "${last}" is in the last one`,
    fix: "Shorten the chain of dependsOn, or choose fewer deployments with the input deployment, or deploy all in one job with the action itself",
  };
}

function tooManyPlaces(level: number, jobs: number): Problem {
  return {
    code: "too-many-jobs",
    where: [],
    what: `Level ${level} has deployments of ${jobs} different environments and contexts, and a matrix of GitHub makes ${mostJobs} jobs at most`,
    fix: "Choose fewer of them with the input deployment or config, in several workflows",
  };
}
