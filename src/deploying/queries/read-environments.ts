import pMap from "p-map";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { EnvironmentState } from "../../model/deployments/environment-state.ts";
import {
  type EnvironmentOwner,
  environmentName,
  isSameOwner,
} from "../../model/deployments/preview-environment.ts";
import { UserError } from "../../model/problems/errors.ts";
import { distinct, type Problem } from "../../model/problems/problem.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { World } from "../../ports/world.ts";
import { environmentState } from "../../releases/environment-state.ts";
import { readReadableReleases } from "../../releases/store.ts";
import { concurrency, listRecorded } from "./list-recorded.ts";
import { minimalDeployment } from "./locate-deployment.ts";

/** An environment in a cluster, with the deployment that deletes it. */
export interface LiveEnvironment extends EnvironmentState {
  readonly deployment: Deployment;
}

export interface LiveEnvironments {
  /** Sorted by name and namespace. */
  readonly environments: readonly LiveEnvironment[];
  /** Errors of records that qvs can't read. They might be environments. */
  readonly unreadable: readonly Problem[];
}

/** A place in which the releases of environments can be. */
type EnvironmentPlace = Pick<Deployment, "namespace" | "context">;

interface SearchedPlace extends EnvironmentPlace {
  /** False if no entry has its environments there now. An error is only a notice then. */
  readonly isRequired: boolean;
}

/**
 * Reads the environments of a list: those in the namespaces of entries with `preview`, and of other
 * entries with the same contexts, because their `preview` might have been removed. Throws a
 * UserError if it can read none of them.
 */
export async function readEnvironments(
  world: World,
  entries: readonly Deployment[],
): Promise<LiveEnvironments> {
  const read = await pMap(
    searchedPlaces(entries),
    (place) => readPlace(world, place).catch((error) => unreadablePlace(error, place)),
    { concurrency: 4 },
  );
  const all = joined(read);
  if (read.length > 0 && read.every(({ isReadable }) => isReadable === false))
    throw new UserError(all.unreadable);
  return all;
}

/** Reads one environment by its name. */
export async function readEnvironment(
  world: World,
  { namespace, context }: EnvironmentPlace,
  name: string,
): Promise<LiveEnvironments> {
  const { cluster } = await world.target(minimalDeployment(name, namespace, context));
  return readOne(world, cluster, minimalDeployment(name, namespace, context));
}

function searchedPlaces(entries: readonly Deployment[]): readonly SearchedPlace[] {
  const used = entries.flatMap((entry) => {
    const { preview } = entry;
    if (preview === undefined) return [];
    return [entries.find(({ name }) => name === preview.from) ?? entry];
  });
  const contexts = new Set(used.map(({ context }) => context));
  const others = entries.filter(({ context }) => used.length === 0 || contexts.has(context));
  const places = new Map<string, SearchedPlace>();
  for (const [all, isRequired] of [
    [others, false],
    [used, true],
  ] as const)
    for (const { namespace, context } of all)
      places.set(`${context ?? ""} ${namespace}`, { namespace, context, isRequired });
  return [...places.values()];
}

/** The environments in a place. */
interface ReadPlace extends LiveEnvironments {
  /** False if qvs couldn't read the place at all. */
  readonly isReadable?: boolean;
}

function unreadablePlace(error: unknown, { isRequired }: SearchedPlace): ReadPlace {
  if (isRequired || !(error instanceof UserError)) throw error;
  return { environments: [], unreadable: error.problems, isReadable: false };
}

async function readPlace(
  world: World,
  { namespace, context }: EnvironmentPlace,
): Promise<ReadPlace> {
  const { cluster } = await world.target(minimalDeployment("", namespace, context));
  const { deployments } = await listRecorded(cluster, namespace);
  const named = deployments.filter(({ name }) => /-pr-\d+$/.test(name));
  return joined(
    await pMap(
      named,
      ({ name }) => readOne(world, cluster, minimalDeployment(name, namespace, context)),
      { concurrency },
    ),
  );
}

async function readOne(
  world: World,
  cluster: Cluster,
  deployment: Deployment,
): Promise<LiveEnvironments> {
  const recorded = await readReadableReleases(cluster, deployment, world);
  if (!recorded.ok) return { environments: [], unreadable: recorded.problems };
  const state = environmentState(recorded.value, world.clock.now().toISOString());
  const isNamed =
    state !== undefined &&
    environmentName(state.environment.entry, state.environment.number) === deployment.name;
  return {
    environments: isNamed ? [{ ...state, deployment }] : [],
    unreadable: recorded.value.unreadable.map(({ problem }) => problem),
  };
}

function joined(all: readonly LiveEnvironments[]): LiveEnvironments {
  return {
    environments: all
      .flatMap(({ environments }) => environments)
      .toSorted((a, b) => (a.deployment.name < b.deployment.name ? -1 : 1)),
    // The same fault can concern several namespaces.
    unreadable: distinct(all.flatMap(({ unreadable }) => unreadable)),
  };
}

/** Reports whether a repository and its list own an environment. */
export function isOwnedBy(
  { environment }: Pick<EnvironmentState, "environment">,
  { repository, list }: Pick<EnvironmentOwner, "repository" | "list">,
): boolean {
  return isSameOwner(environment, { ...environment, repository, list });
}
