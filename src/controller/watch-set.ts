import type { Clock } from "../ports/clock.ts";
import type { Cluster, MetadataEvent, MetadataQuery } from "../ports/kubernetes.ts";
import { createBackoff } from "./backoff.ts";

export interface WatchSetOptions {
  readonly cluster: Pick<Cluster, "watchMetadata" | "forgetKinds">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  onEvent(query: MetadataQuery, event: MetadataEvent): void;
  /** Told when a watch was opened again: what was deleted meanwhile is not told. */
  onReopened(query: MetadataQuery): void;
  /** Told when a watch can't go on for now; it is opened again after a while. */
  onTrouble(query: MetadataQuery, message: string): void;
}

/** Watches that are open as long as somebody needs them. */
export interface WatchSet {
  /** Opens those that are missing and closes those that are not among `queries`. */
  keep(queries: readonly MetadataQuery[]): void;
  /** Resolves once everything that these watches saw at first has been told, or they had trouble. */
  synced(queries: readonly MetadataQuery[]): Promise<void>;
  count(): number;
}

interface OpenWatch {
  readonly stop: AbortController;
  readonly synced: Promise<void>;
}

/** In milliseconds. What no retry can fix, such as a missing right, may be fixed by somebody. */
const retryLimits = { first: 5_000, longest: 300_000 };

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
    count: () => open.size,
  };
}

function textOf({ apiVersion, kind, namespace, labelSelector }: MetadataQuery): string {
  return JSON.stringify([apiVersion, kind, namespace, labelSelector]);
}

function openWatch(query: MetadataQuery, options: WatchSetOptions): OpenWatch {
  const stop = new AbortController();
  let resolveSynced = (): void => {};
  const synced = new Promise<void>((resolve) => {
    resolveSynced = resolve;
  });
  const signal = AbortSignal.any([stop.signal, options.signal]);
  void follow(query, { ...options, signal }, resolveSynced).finally(resolveSynced);
  return { stop, synced };
}

/** For ever: a watch that ended, whatever the reason, is opened again, and what it shows then is told once more. */
async function follow(
  query: MetadataQuery,
  options: WatchSetOptions,
  onFirst: () => void,
): Promise<void> {
  const { cluster, clock, signal, onTrouble } = options;
  const backoff = createBackoff(retryLimits, options.random);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      for await (const answer of cluster.watchMetadata(query, signal)) {
        if (signal.aborted) return;
        if (answer.ok) {
          tell(query, answer.value, isFirst, options);
          backoff.forget("");
        } else onTrouble(query, answer.failure.message);
        if (!answer.ok || answer.value.type === "SYNCED") onFirst();
      }
    } catch (error) {
      if (!signal.aborted) onTrouble(query, String(error));
    }
    onFirst();
    // A definition may have come or gone meanwhile.
    cluster.forgetKinds();
    await clock.sleep(backoff.next(""), signal).catch(() => {});
  }
}

function tell(
  query: MetadataQuery,
  event: MetadataEvent,
  isFirst: boolean,
  { onEvent, onReopened }: WatchSetOptions,
): void {
  onEvent(query, event);
  if (event.type === "SYNCED" && !isFirst) onReopened(query);
}
