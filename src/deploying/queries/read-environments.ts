import pMap from "p-map";
import type { Deployment } from "../../model/deployment.ts";
import type { EnvironmentState } from "../../model/environment-state.ts";
import {
  type EnvironmentOwner,
  environmentName,
  isSameOwner,
} from "../../model/preview-environment.ts";
import type { Problem } from "../../model/problems/problem.ts";
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

/** The places in which the releases of environments can be: those of the entries. */
type Place = Pick<Deployment, "namespace" | "context">;

/**
 * Reads the environments with releases in the namespaces of the entries.
 * An environment whose entry no longer exists is among them, if another entry has its namespace.
 */
export async function readEnvironments(
  world: World,
  entries: readonly Place[],
): Promise<LiveEnvironments> {
  const places = new Map(
    entries.map(({ namespace, context }) => [
      `${context ?? ""} ${namespace}`,
      { namespace, context },
    ]),
  );
  const read = await pMap(places.values(), (place) => readPlace(world, place), { concurrency: 4 });
  return {
    environments: read
      .flatMap(({ environments }) => environments)
      .toSorted((a, b) => (a.deployment.name < b.deployment.name ? -1 : 1)),
    unreadable: read.flatMap(({ unreadable }) => unreadable),
  };
}

async function readPlace(world: World, { namespace, context }: Place): Promise<LiveEnvironments> {
  const { cluster } = await world.target(minimalDeployment("", namespace, context));
  const { deployments } = await listRecorded(cluster, namespace);
  const now = world.clock.now().toISOString();
  const read = await pMap(
    deployments.filter(({ name }) => /-pr-\d+$/.test(name)),
    async ({ name }) => {
      const deployment = minimalDeployment(name, namespace, context);
      const recorded = await readReadableReleases(cluster, deployment, world);
      if (!recorded.ok) return { environments: [], unreadable: recorded.problems };
      const state = environmentState(recorded.value, now);
      const isNamed =
        state !== undefined &&
        environmentName(state.environment.entry, state.environment.number) === name;
      return {
        environments: isNamed ? [{ ...state, deployment }] : [],
        unreadable: recorded.value.unreadable.map(({ problem }) => problem),
      };
    },
    { concurrency },
  );
  return {
    environments: read.flatMap(({ environments }) => environments),
    unreadable: read.flatMap(({ unreadable }) => unreadable),
  };
}

/** Reports whether a repository and its list own an environment. */
export function isOwnedBy(
  { environment }: Pick<EnvironmentState, "environment">,
  { repository, list }: Pick<EnvironmentOwner, "repository" | "list">,
): boolean {
  return isSameOwner(environment, { ...environment, repository, list });
}
