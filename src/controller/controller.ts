import { describeProblem, UserError } from "../model/problems/errors.ts";
import type { InventoryEntry } from "../model/release.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ControllerEvent, Outcome } from "./events.ts";
import { joinGroup, type Membership } from "./membership.ts";
import { createQueue, type WorkQueue } from "./queue.ts";
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
}

/** Looks at each deployment whenever something of it changes, for ever (docs/reference/reconcile.md#when-it-looks). */
export function startController(options: ControllerOptions): Controller {
  const { clock, random, resyncMs, signal, identity, leaseMs, group, cluster } = options;
  options.onEvent({ type: "started", identity });
  const queue = createQueue(clock);
  const schedule = createSchedule({ queue, clock, random, resyncMs });
  const index = createReleasesIndex(options.isChosen);
  const watches = createWatchSet({
    ...watchOptions(options),
    onEvent: (query, event) => inventory.handle(query, event),
    onReopened: (query) => inventory.recheck(query),
  });
  const inventory = createInventoryWatch({
    watches,
    everywhere: options.namespaces === undefined,
    onChanged: schedule.changed,
  });
  const membership = joinGroup({
    cluster,
    clock,
    signal,
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
  const parts: Parts = { options, queue, schedule, index, inventory, membership, owned, skipped };
  const releases = followReleases(parts);
  const isSynced = flagOnce(releases.synced(queriesOf(options)));
  return {
    state: () => ({
      isMember: membership.isMember(),
      isReady: isSynced() && membership.isMember(),
      members: membership.members().size,
      deployments: index.deployments().length,
      owned: owned.size,
      objects: inventory.objects(),
      watches: watches.count() + releases.count(),
      waiting: queue.waiting(),
    }),
    ended: untilEnded(parts),
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
    onReopened: () => {},
  });
  releases.keep(queriesOf(parts.options));
  return releases;
}

function flagOnce(promise: Promise<void>): () => boolean {
  let isDone = false;
  void promise.then(() => {
    isDone = true;
  });
  return () => isDone;
}

/** A deployment is new or was changed; or it is no more. */
function releasesChanged(deployment: string, parts: Parts): void {
  if (parts.index.stateOf(deployment) === undefined) drop(deployment, parts);
  else if (owns(deployment, parts)) {
    own(deployment, parts);
    parts.schedule.changed(deployment);
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

function drop(deployment: string, { owned, skipped, schedule, inventory, options }: Parts): void {
  if (!owned.delete(deployment)) return;
  skipped.delete(deployment);
  schedule.forget(deployment);
  inventory.remove(deployment);
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

async function untilEnded(parts: Parts): Promise<void> {
  const { options, queue, membership } = parts;
  const { signal, onEvent } = options;
  signal.addEventListener("abort", () => {
    onEvent({ type: "stopping" });
    queue.close();
  });
  const workers = Array.from({ length: options.concurrency }, () => work(parts));
  await Promise.all([...workers, membership.ended]);
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
  const { options, schedule, membership, skipped, owned } = parts;
  if (!membership.isMember()) {
    skipped.add(deployment);
    return;
  }
  if (!owns(deployment, parts)) return drop(deployment, parts);
  const { clock, onEvent } = options;
  const began = clock.now().getTime();
  const outcome = await outcomeOf(deployment, parts);
  const milliseconds = clock.now().getTime() - began;
  const again = owned.has(deployment) ? schedule.concluded(deployment, outcome) : 0;
  onEvent({ type: "reconciled", deployment, outcome, milliseconds, again });
}

async function outcomeOf(deployment: string, parts: Parts): Promise<Outcome> {
  const { options, index, inventory, owned } = parts;
  const id = deploymentOfKey(deployment);
  // A deployment that is under way changes much. Without looking, nothing is asked of the API server meanwhile.
  const unsettled = index.unsettled(deployment);
  if (unsettled !== undefined) return { type: "waiting", why: unsettled };
  try {
    const state = index.stateOf(deployment);
    if (owned.get(deployment) !== state || state === undefined) {
      // Watched before it is read, so that no change falls in between.
      await inventory.set(deployment, await options.readInventory(id));
      if (owned.has(deployment)) owned.set(deployment, state);
    }
    return await options.reconcileOne(id, options.signal);
  } catch (error) {
    if (options.signal.aborted) return { type: "stopped" };
    const why =
      error instanceof UserError ? error.problems.map(describeProblem).join("; ") : stackOf(error);
    return { type: "failed", why };
  }
}

/** Only a bug in qvs shows a stack trace. */
function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
