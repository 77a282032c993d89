import { isMissingRight } from "../model/cluster/api-failure.ts";
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
  /** Told when a watch was opened again, with the keys of all that is there now: what was deleted meanwhile is not told. */
  onReopened(query: MetadataQuery, present: ReadonlySet<string>): void;
  /**
   * Told when this identity has no right to it, besides the trouble. A server that has just started denies everything until it has read
   * the roles: a watch that has been open for a while is denied twice in a row before it counts.
   */
  onDenied(query: MetadataQuery): void;
  /** Told when a watch can't go on for now; it is opened again after a while. */
  onTrouble(query: MetadataQuery, message: string): void;
}

/** Watches that are open as long as somebody needs them. */
export interface WatchSet {
  /** Opens those that are missing and closes those that are not among `queries`. */
  keep(queries: readonly MetadataQuery[]): void;
  /** Resolves once everything that these watches saw at first has been told, or they had trouble. */
  synced(queries: readonly MetadataQuery[]): Promise<void>;
  /** Whether all of them have been tried, and at least one has told everything that it saw at first. */
  isSynced(): boolean;
  count(): number;
}

interface OpenWatch {
  readonly stop: AbortController;
  readonly synced: Promise<void>;
  readonly progress: Progress;
}

interface Progress {
  isTried: boolean;
  /** Whether it has told everything that it saw at first. */
  isSynced: boolean;
  /** Whether it was allowed, as far as is known: it has been open for a while, and no denial came since. */
  wasAllowed: boolean;
}

/** In milliseconds. What no retry can fix, such as a missing right, may be fixed by somebody. */
const retryLimits = { first: 5_000, longest: 300_000 };
/** A watch that ends before is no better than one that was refused: whoever may list and not watch would list all the time. */
const steadyMs = 60_000;

export function createWatchSet(options: WatchSetOptions): WatchSet {
  const open = new Map<string, OpenWatch>();
  return {
    keep(queries) {
      const needed = new Map(queries.map((query) => [textOf(query), query]));
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
      await Promise.all(queries.map((query) => open.get(textOf(query))?.synced));
    },
    isSynced: () => {
      const all = [...open.values()].map(({ progress }) => progress);
      return all.every((one) => one.isTried) && all.some((one) => one.isSynced);
    },
    count: () => open.size,
  };
}

function textOf({ apiVersion, kind, namespace, labelSelector }: MetadataQuery): string {
  return JSON.stringify([apiVersion, kind, namespace, labelSelector]);
}

function openWatch(query: MetadataQuery, options: WatchSetOptions): OpenWatch {
  const stop = new AbortController();
  const progress: Progress = { isTried: false, isSynced: false, wasAllowed: false };
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const onTried = () => {
    progress.isTried = true;
    resolve();
  };
  const signal = AbortSignal.any([stop.signal, options.signal]);
  void follow({ query, progress, onTried, options: { ...options, signal } }).finally(onTried);
  return { stop, synced, progress };
}

interface Followed {
  readonly query: MetadataQuery;
  readonly options: WatchSetOptions;
  readonly progress: Progress;
  onTried(): void;
}

/** For ever: a watch that ended, whatever the reason, is opened again, and what it shows then is told once more. */
async function follow(followed: Followed): Promise<void> {
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
    // A definition may have come or gone meanwhile.
    cluster.forgetKinds();
    await clock.sleep(backoff.next(""), signal).catch(() => {});
  }
}

async function followOnce(followed: Followed, isFirst: boolean): Promise<void> {
  const { query, options, progress, onTried } = followed;
  const { cluster, signal, onTrouble } = options;
  const present = new Set<string>();
  try {
    for await (const answer of cluster.watchMetadata(query, signal)) {
      if (signal.aborted) return;
      if (answer.ok) {
        tell(query, answer.value, isFirst ? undefined : present, options);
        progress.isSynced ||= answer.value.type === "SYNCED";
      } else {
        onTrouble(query, answer.failure.message);
        if (isMissingRight(answer.failure)) denied(followed);
      }
      if (!answer.ok || answer.value.type === "SYNCED") onTried();
    }
  } catch (error) {
    if (!signal.aborted) onTrouble(query, String(error));
  }
}

function denied({ query, options, progress }: Followed): void {
  if (!progress.wasAllowed) options.onDenied(query);
  progress.wasAllowed = false;
}

/** `present` gathers what a watch that was opened again shows at first. */
function tell(
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
