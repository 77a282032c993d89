import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import { textAt } from "../../model/json.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import type { Cluster, WatchEvent } from "../../ports/kubernetes.ts";

/** The scope of a watch: one kind in one namespace, "" for cluster-scoped kinds. */
interface WatchScope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}

/** The last event of a watch about an object. */
interface WatchedObject {
  readonly present: boolean;
  /** The last known state, even of a deleted object. */
  readonly object: KubeObject;
}

interface WatchError {
  readonly message: string;
  /** True if the watch has ended and reports no more events. */
  readonly final: boolean;
}

/** A view of one shared watch. */
export interface WatchView {
  last(name: string): WatchedObject | undefined;
  present(): readonly KubeObject[];
  /** Returns the last error of the watch. Undefined while it works. */
  error(): WatchError | undefined;
  stop(): void;
}

type Listener = (name: string | undefined) => void;

/**
 * One watch per place, which all waiters share. Hundreds of objects need only a few connections.
 */
export interface Watches {
  /** Calls `onChange` with the name of each changed object, or with undefined after an error. */
  follow(place: WatchScope, onChange: Listener): WatchView;
  /** Follows one object, because hundreds of waiters in a place each need only their own object. */
  followOne(place: WatchScope, name: string, onChange: Listener): WatchView;
  close(): void;
}

export function createWatches(cluster: Cluster): Watches {
  const ended = new AbortController();
  const open = new Map<string, SharedWatch>();
  const sharedWatch = (scope: WatchScope): SharedWatch => {
    const key = `${scope.apiVersion} ${scope.kind} ${scope.namespace}`;
    const watch = open.get(key) ?? new SharedWatch(cluster, scope, ended.signal);
    open.set(key, watch);
    return watch;
  };
  return {
    follow: (scope, onChange) => sharedWatch(scope).follow(undefined, onChange),
    followOne: (scope, name, onChange) =>
      isPolledKind(scope) ? emptyView : sharedWatch(scope).follow(name, onChange),
    close: () => ended.abort(),
  };
}

/** Reports whether qvs polls objects of a kind: a watch would first list all of them. */
export function isPolledKind({
  apiVersion,
  kind,
}: Pick<WatchScope, "apiVersion" | "kind">): boolean {
  return isCrd({ group: groupOf(apiVersion), kind });
}

const emptyView: WatchView = {
  last: () => undefined,
  present: () => [],
  error: () => undefined,
  stop: () => {},
};

class SharedWatch {
  readonly #objects = new Map<string, WatchedObject>();
  /** The listeners by object name. The key undefined has listeners for all objects. */
  readonly #listeners = new Map<string | undefined, Set<Listener>>();
  #error: WatchError | undefined;

  constructor(cluster: Cluster, place: WatchScope, signal: AbortSignal) {
    const namespace = place.namespace === "" ? undefined : place.namespace;
    void this.#consume(cluster.watch(place.apiVersion, place.kind, namespace, signal), signal);
  }

  follow(about: string | undefined, listener: Listener): WatchView {
    const listeners = this.#listeners.get(about) ?? new Set();
    this.#listeners.set(about, listeners.add(listener));
    return {
      last: (name) => this.#objects.get(name),
      present: () => [...this.#objects.values()].filter((s) => s.present).map((s) => s.object),
      error: () => this.#error,
      stop: () => listeners.delete(listener),
    };
  }

  async #consume(events: AsyncIterable<ApiResult<WatchEvent>>, signal: AbortSignal): Promise<void> {
    try {
      for await (const answer of events) this.#handle(answer);
      if (!signal.aborted) this.#fail(this.#error?.message ?? "the watch ended");
    } catch (error) {
      // No caller awaits the watch, so its error must reach the waiters for its events.
      if (!signal.aborted) this.#fail(String(error));
    }
  }

  #handle(answer: ApiResult<WatchEvent>): void {
    this.#error = answer.ok ? undefined : { message: answer.failure.message, final: false };
    this.#notify(answer.ok ? this.#store(answer.value) : undefined);
  }

  #store({ type, object }: WatchEvent): string {
    const name = textAt(object, "metadata", "name") ?? "";
    this.#objects.set(name, { present: type !== "DELETED", object });
    return name;
  }

  #fail(message: string): void {
    this.#error = { message, final: true };
    this.#notify(undefined);
  }

  #notify(name: string | undefined): void {
    const all = name === undefined ? [...this.#listeners.keys()] : [undefined, name];
    for (const about of all) {
      for (const listener of this.#listeners.get(about) ?? []) listener(name);
    }
  }
}
