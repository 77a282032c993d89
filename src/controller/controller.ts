import { joinGroup } from "./membership.ts";
import { createQueue } from "./queue.ts";
import {
  type ControllerDependencies,
  type ControllerOptions,
  handleReleasesChanged,
  reconcileDeployment,
  redistributeDeployments,
} from "./reconcile-deployment.ts";
import { createReleasesIndex, releaseQuery } from "./releases-index.ts";
import { createSchedule } from "./schedule.ts";
import { createInventoryWatch } from "./watch-inventory.ts";
import { createWatchSet, type WatchSet } from "./watch-set.ts";

/** The state of a controller, for health and metrics. */
export interface ControllerState {
  readonly isMember: boolean;
  readonly isReady: boolean;
  readonly members: number;
  readonly deployments: number;
  readonly owned: number;
  readonly objects: number;
  readonly watches: number;
  readonly waiting: number;
}

/** The state before the controller starts. */
export const idleState: ControllerState = {
  isMember: false,
  isReady: false,
  members: 0,
  deployments: 0,
  owned: 0,
  objects: 0,
  watches: 0,
  waiting: 0,
};

export interface ReconcileController {
  state(): ControllerState;
  /** Resolves after all work has ended and the Lease is deleted. */
  readonly ended: Promise<void>;
}

/**
 * Checks each deployment after every change, until the signal aborts
 * (docs/reference/reconcile.md#schedule).
 */
export function startController(options: ControllerOptions): ReconcileController {
  const { clock, random, resyncMs, identity, leaseMs, group, cluster } = options;
  options.onEvent({ type: "started", identity });
  const queue = createQueue(clock);
  const schedule = createSchedule({ queue, clock, random, resyncMs });
  const index = createReleasesIndex(options.isChosen);
  const watches = createWatchSet({
    ...watchOptions(options),
    onEvent: (query, event) => inventory.handle(query, event),
    onReopened: (query) => inventory.recheck(query),
    onDenied: (query) => inventory.narrow(query),
  });
  const inventory = createInventoryWatch({
    watches,
    everywhere: options.namespaces === undefined,
    onChanged: schedule.changed,
  });
  // The Lease is deleted only after all work has ended, because other replicas then take over.
  const leaving = new AbortController();
  const membership = joinGroup({
    cluster,
    clock,
    signal: leaving.signal,
    namespace: group.namespace,
    group: group.name,
    identity,
    leaseMs,
    onChange: (members) => {
      options.onEvent({ type: "members", members: [...members] });
      redistributeDeployments(dependencies);
    },
    onTrouble: (why) => options.onEvent({ type: "lease-trouble", why }),
  });
  const owned = new Map<string, string | undefined>();
  const skipped = new Set<string>();
  const workState = { owned, skipped, inProgress: new Set<string>() };
  const dependencies: ControllerDependencies = {
    options,
    queue,
    schedule,
    index,
    inventory,
    membership,
    ...workState,
  };
  const releases = followReleases(dependencies);
  return {
    state: () => ({
      isMember: membership.isMember(),
      isReady: releases.isSynced() && membership.isMember(),
      members: membership.members().size,
      deployments: index.deployments().length,
      owned: owned.size,
      objects: inventory.objects(),
      watches: watches.count() + releases.count(),
      waiting: queue.waiting(),
    }),
    ended: runUntilEnded(dependencies, leaving),
  };
}

function watchOptions({ cluster, clock, random, signal, onEvent }: ControllerOptions) {
  return {
    cluster,
    clock,
    random,
    signal,
    onTrouble: (
      {
        apiVersion,
        kind,
        namespace,
      }: { apiVersion: string; kind: string; namespace: string | undefined },
      why: string,
    ) => {
      const where = namespace === undefined ? "" : ` in ${namespace}`;
      onEvent({ type: "watch-trouble", of: `${apiVersion} ${kind}${where}`, why });
    },
  };
}

function releaseQueries({ namespaces }: ControllerOptions) {
  return namespaces === undefined ? [releaseQuery(undefined)] : namespaces.map(releaseQuery);
}

function followReleases(dependencies: ControllerDependencies): WatchSet {
  const releases = createWatchSet({
    ...watchOptions(dependencies.options),
    onEvent: (_, event) => {
      const deployment = dependencies.index.handle(event);
      if (deployment !== undefined) handleReleasesChanged(deployment, dependencies);
    },
    onReopened: ({ namespace }, present) => {
      for (const deployment of dependencies.index.keep(namespace, present)) {
        handleReleasesChanged(deployment, dependencies);
      }
    },
    onDenied: () => {},
  });
  releases.keep(releaseQueries(dependencies.options));
  return releases;
}

async function runUntilEnded(
  dependencies: ControllerDependencies,
  leaving: AbortController,
): Promise<void> {
  const { options, queue, membership } = dependencies;
  const { signal, onEvent } = options;
  const stop = () => {
    onEvent({ type: "stopping" });
    queue.close();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  const workers = Array.from({ length: options.concurrency }, () => runWorker(dependencies));
  try {
    await Promise.all(workers);
  } finally {
    // A failed worker also ends the others. The Lease is then deleted, and another replica
    // continues.
    queue.close();
    await Promise.allSettled(workers);
    leaving.abort();
    await membership.ended;
    signal.removeEventListener("abort", stop);
  }
  onEvent({ type: "stopped" });
}

async function runWorker(dependencies: ControllerDependencies): Promise<void> {
  for (;;) {
    const deployment = await dependencies.queue.take();
    if (deployment === undefined) return;
    try {
      await reconcileDeployment(deployment, dependencies);
    } finally {
      dependencies.queue.done(deployment);
    }
  }
}
