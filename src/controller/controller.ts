import type { InventoryEntry } from "../model/release.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ControllerEvent, Outcome } from "./events.ts";
import { joinGroup, type Membership } from "./membership.ts";
import { createQueue, type WorkQueue } from "./queue.ts";
import { outcomeOfError } from "./refusal.ts";
import {
  createReleasesIndex,
  type DeploymentId,
  deploymentOfKey,
  type ReleasesIndex,
  releasesIn,
} from "./releases-index.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { ownerOf } from "./shard.ts";
import { createInventoryWatch, type InventoryWatch } from "./watch-inventory.ts";
import { createWatchSet, type WatchSet } from "./watch-set.ts";

export interface ControllerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hash: (text: string) => string;
  /** Ends it: what is under way is finished first. */
  readonly signal: AbortSignal;
  /** Where releases are looked for; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly isChosen: (id: DeploymentId) => boolean;
  /** The Leases of the replicas. */
  readonly group: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseMs: number;
  readonly resyncMs: number;
  /** How many deployments are worked on at once. */
  readonly concurrency: number;
  readInventory(id: DeploymentId): Promise<readonly InventoryEntry[]>;
  /** Looks at one deployment and corrects it. Takes the lock of the deployment before it writes. */
  reconcileOne(id: DeploymentId, signal: AbortSignal): Promise<Outcome>;
  onEvent(event: ControllerEvent): void;
}

/** A look inside, for health and metrics. */
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

/** Before it runs. */
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

export interface Controller {
  state(): ControllerState;
  /** Resolves when everything has ended and the Lease is given back. */
  readonly ended: Promise<void>;
}

/** All that a controller is made of, once it runs. */
interface Parts {
  readonly options: ControllerOptions;
  readonly queue: WorkQueue;
  readonly schedule: Schedule;
  readonly index: ReleasesIndex;
  readonly inventory: InventoryWatch;
  readonly membership: Membership;
  /** The deployments that are this replica's to work on → the state of their releases that is watched. */
  readonly owned: Map<string, string | undefined>;
  /** Those that were due while this replica was no member. */
  readonly skipped: Set<string>;
  /** Those that are looked at just now. */
  readonly underWay: Set<string>;
}

/** Looks at each deployment whenever something of it changes, for ever (docs/reference/reconcile.md#when-it-looks). */
export function startController(options: ControllerOptions): Controller {
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
  // Others take over once it has left: only when nothing is under way here any more.
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
      distribute(parts);
    },
    onTrouble: (why) => options.onEvent({ type: "lease-trouble", why }),
  });
  const owned = new Map<string, string | undefined>();
  const skipped = new Set<string>();
  const work = { owned, skipped, underWay: new Set<string>() };
  const parts: Parts = { options, queue, schedule, index, inventory, membership, ...work };
  const releases = followReleases(parts);
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
    ended: untilEnded(parts, leaving),
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

function queriesOf({ namespaces }: ControllerOptions) {
  return namespaces === undefined ? [releasesIn(undefined)] : namespaces.map(releasesIn);
}

function followReleases(parts: Parts): WatchSet {
  const releases = createWatchSet({
    ...watchOptions(parts.options),
    onEvent: (_, event) => {
      const deployment = parts.index.handle(event);
      if (deployment !== undefined) releasesChanged(deployment, parts);
    },
    onReopened: ({ namespace }, present) => {
      for (const deployment of parts.index.keep(namespace, present)) {
        releasesChanged(deployment, parts);
      }
    },
    onDenied: () => {},
  });
  releases.keep(queriesOf(parts.options));
  return releases;
}

/** A deployment is new or was changed; or it is no more. */
function releasesChanged(deployment: string, parts: Parts): void {
  if (parts.index.stateOf(deployment) === undefined) drop(deployment, parts);
  else if (owns(deployment, parts)) {
    own(deployment, parts);
    parts.schedule.released(deployment);
  }
}

function owns(deployment: string, { options, membership }: Parts): boolean {
  return ownerOf(deployment, membership.members(), options.hash) === options.identity;
}

function own(deployment: string, { owned, options }: Parts): void {
  if (owned.has(deployment)) return;
  owned.set(deployment, undefined);
  options.onEvent({ type: "deployment-found", deployment });
}

function drop(deployment: string, parts: Parts): void {
  const { owned, skipped, schedule, inventory, underWay } = parts;
  if (!owned.delete(deployment)) return;
  skipped.delete(deployment);
  schedule.forget(deployment);
  inventory.remove(deployment);
  // What comes of a look that is under way is told before.
  if (!underWay.has(deployment)) tellDropped(deployment, parts);
}

function tellDropped(deployment: string, { options }: Parts): void {
  options.onEvent({ type: "deployment-dropped", deployment });
}

/** The members have changed. Who is none any more keeps its watches: most often it is one again when the API server answers. */
function distribute(parts: Parts): void {
  const { membership, index, owned, queue, skipped } = parts;
  if (!membership.isMember()) return;
  for (const deployment of index.deployments()) {
    const isOurs = owns(deployment, parts);
    if (!isOurs) drop(deployment, parts);
    else if (!owned.has(deployment) || skipped.delete(deployment)) {
      own(deployment, parts);
      queue.add(deployment);
    }
  }
}

async function untilEnded(parts: Parts, leaving: AbortController): Promise<void> {
  const { options, queue, membership } = parts;
  const { signal, onEvent } = options;
  const stop = () => {
    onEvent({ type: "stopping" });
    queue.close();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  await Promise.all(Array.from({ length: options.concurrency }, () => work(parts)));
  leaving.abort();
  await membership.ended;
  onEvent({ type: "stopped" });
}

async function work(parts: Parts): Promise<void> {
  for (;;) {
    const deployment = await parts.queue.take();
    if (deployment === undefined) return;
    await lookAt(deployment, parts);
    parts.queue.done(deployment);
  }
}

async function lookAt(deployment: string, parts: Parts): Promise<void> {
  const { options, schedule, membership, skipped, owned, underWay } = parts;
  if (!membership.isMember()) {
    skipped.add(deployment);
    return;
  }
  if (!owns(deployment, parts)) return drop(deployment, parts);
  if (schedule.isTooEarly(deployment)) return;
  const { clock, onEvent } = options;
  const began = clock.now().getTime();
  underWay.add(deployment);
  const outcome = await outcomeOf(deployment, parts);
  underWay.delete(deployment);
  if (outcome === undefined) return tellDropped(deployment, parts);
  const milliseconds = clock.now().getTime() - began;
  const again = owned.has(deployment) ? schedule.concluded(deployment, outcome) : 0;
  onEvent({ type: "reconciled", deployment, outcome, milliseconds, again });
  if (!owned.has(deployment)) tellDropped(deployment, parts);
}

/** undefined where it is no longer this replica's to look at. */
async function outcomeOf(deployment: string, parts: Parts): Promise<Outcome | undefined> {
  const { options, index, owned } = parts;
  // A deployment that is under way changes much. Without looking, nothing is asked of the API server meanwhile.
  const unsettled = index.unsettled(deployment);
  if (unsettled !== undefined) return { type: "waiting", why: unsettled };
  try {
    // Watched before it is read, so that no change falls in between.
    await watchInventory(deployment, parts);
    if (!owned.has(deployment)) return undefined;
    return await options.reconcileOne(deploymentOfKey(deployment), options.signal);
  } catch (error) {
    return options.signal.aborted ? { type: "stopped" } : outcomeOfError(error);
  }
}

async function watchInventory(deployment: string, parts: Parts): Promise<void> {
  const { options, index, inventory, owned } = parts;
  const state = index.stateOf(deployment);
  if (owned.get(deployment) === state && state !== undefined) return;
  const entries = await options.readInventory(deploymentOfKey(deployment));
  // It may have become another replica's meanwhile, who watches it from now on.
  if (!owned.has(deployment)) return;
  await inventory.set(deployment, entries);
  if (owned.has(deployment)) owned.set(deployment, state);
}
