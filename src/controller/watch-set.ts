import { isMissingPermission } from "../model/cluster/api/api-failure.ts";
import { idOf, keyOf } from "../model/object.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster, MetadataEvent, MetadataQuery } from "../ports/kubernetes.ts";
import { createBackoff } from "./backoff.ts";

export interface WatchSetOptions {
  readonly cluster: Pick<Cluster, "watchMetadata" | "forgetKinds">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  onEvent(query: MetadataQuery, event: MetadataEvent): void;
  /**
   * Called after a watch was reopened, with the keys of all existing objects.
   * Deletions during the interruption cause no event.
   */
  onReopened(query: MetadataQuery, present: ReadonlySet<string>): void;
  /**
   * Called in addition to `onTrouble` if a permission for the watch is missing.
   * A new API server denies everything until it has read the roles. A watch that was open for a
   * while must be denied twice in a row.
   */
  onDenied(query: MetadataQuery): void;
  /** Called if a watch is interrupted. It's opened again after a delay. */
  onTrouble(query: MetadataQuery, message: string): void;
}

/** The watches that are open while a caller needs them. */
export interface WatchSet {
  /** Opens the missing watches and closes the ones that aren't in `queries`. */
  keep(queries: readonly MetadataQuery[]): void;
  /**
   * Resolves after the initial objects of these watches were reported, or after the watches failed.
   */
  synced(queries: readonly MetadataQuery[]): Promise<void>;
  /** Reports whether all watches were tried and at least one reported all its initial objects. */
  isSynced(): boolean;
  count(): number;
}

interface OpenWatch {
  readonly stop: AbortController;
  readonly synced: Promise<void>;
  readonly progress: WatchState;
}

interface WatchState {
  isTried: boolean;
  /** True if it reported all its initial objects. */
  isSynced: boolean;
  /** True if the watch is known to be allowed: it was open for a while, and no denial followed. */
  wasAllowed: boolean;
}

/**
 * The delays before a watch is opened again, in milliseconds. A user can fix a missing permission
 * later.
 */
const retryLimits = { first: 5_000, longest: 300_000 };
/**
 * The minimum duration of a successful watch, in milliseconds. A shorter one counts as a failure.
 * With the permission to list but not to watch, the controller would otherwise list continuously.
 */
const steadyMs = 60_000;

export function createWatchSet(options: WatchSetOptions): WatchSet {
  const open = new Map<string, OpenWatch>();
  return {
    keep(queries) {
      const needed = new Map(queries.map((query) => [queryKey(query), query]));
      for (const [key, { stop }] of open) {
        if (needed.has(key)) continue;
        stop.abort();
        open.delete(key);
      }
      for (const [key, query] of needed) {
        if (!open.has(key)) open.set(key, openWatch(query, options));
      }
    },
    synced: async (queries) => {
      await Promise.all(queries.map((query) => open.get(queryKey(query))?.synced));
    },
    isSynced: () => {
      const all = [...open.values()].map(({ progress }) => progress);
      return all.every((one) => one.isTried) && all.some((one) => one.isSynced);
    },
    count: () => open.size,
  };
}

function queryKey({ apiVersion, kind, namespace, labelSelector }: MetadataQuery): string {
  return JSON.stringify([apiVersion, kind, namespace, labelSelector]);
}

function openWatch(query: MetadataQuery, options: WatchSetOptions): OpenWatch {
  const stop = new AbortController();
  const progress: WatchState = { isTried: false, isSynced: false, wasAllowed: false };
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const onTried = () => {
    progress.isTried = true;
    resolve();
  };
  const signal = AbortSignal.any([stop.signal, options.signal]);
  void follow({ query, progress, onTried, options: { ...options, signal } }).finally(onTried);
  return { stop, synced, progress };
}

interface WatchLoop {
  readonly query: MetadataQuery;
  readonly options: WatchSetOptions;
  readonly progress: WatchState;
  onTried(): void;
}

/**
 * Keeps a watch open until the signal aborts. It reopens a watch that ended for any reason.
 * A reopened watch reports all its objects again.
 */
async function follow(followed: WatchLoop): Promise<void> {
  const { cluster, clock, signal, random } = followed.options;
  const backoff = createBackoff(retryLimits, random);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const began = clock.elapsed();
    await followOnce(followed, isFirst);
    followed.onTried();
    if (clock.elapsed() - began >= steadyMs) {
      backoff.forget("");
      followed.progress.wasAllowed = true;
    }
    // A CustomResourceDefinition might have been created or deleted since the watch started.
    cluster.forgetKinds();
    await clock.sleep(backoff.next(""), signal).catch(() => {});
  }
}

async function followOnce(followed: WatchLoop, isFirst: boolean): Promise<void> {
  const { query, options, progress, onTried } = followed;
  const { cluster, signal, onTrouble } = options;
  const present = new Set<string>();
  try {
    for await (const answer of cluster.watchMetadata(query, signal)) {
      if (signal.aborted) return;
      if (answer.ok) {
        forwardEvent(query, answer.value, isFirst ? undefined : present, options);
        progress.isSynced ||= answer.value.type === "SYNCED";
      } else {
        onTrouble(query, answer.failure.message);
        if (isMissingPermission(answer.failure)) handleDenial(followed);
      }
      if (!answer.ok || answer.value.type === "SYNCED") onTried();
    }
  } catch (error) {
    if (!signal.aborted) onTrouble(query, String(error));
  }
}

function handleDenial({ query, options, progress }: WatchLoop): void {
  if (!progress.wasAllowed) options.onDenied(query);
  progress.wasAllowed = false;
}

/** Reports an event. `present` collects the initial objects of a reopened watch. */
function forwardEvent(
  query: MetadataQuery,
  event: MetadataEvent,
  present: Set<string> | undefined,
  { onEvent, onReopened }: WatchSetOptions,
): void {
  onEvent(query, event);
  if (event.type === "SYNCED") {
    if (present !== undefined) onReopened(query, present);
  } else if (event.type === "ADDED") present?.add(keyOf(idOf(event.object)));
}
