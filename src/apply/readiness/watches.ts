import { textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Answer, Cluster, WatchEvent } from "../../ports.ts";

/** Where objects are watched: one kind in one namespace, "" for cluster-scoped kinds. */
interface Place {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}

/** What a watch last said of an object. */
interface Sighting {
  readonly present: boolean;
  /** The last known state, also of an object that is gone. */
  readonly object: KubeObject;
}

interface Trouble {
  readonly message: string;
  /** The watch has given up: nothing will be heard from it any more. */
  readonly final: boolean;
}

/** A view of one shared watch. */
export interface Followed {
  sighting(name: string): Sighting | undefined;
  present(): readonly KubeObject[];
  /** What the watch last complained of; undefined while it works. */
  trouble(): Trouble | undefined;
  stop(): void;
}

type Listener = (name: string | undefined) => void;

/** One watch per place, however many wait for objects in it: hundreds of objects cost a handful of connections. */
export interface Watches {
  /** `onChange` is called with the name of each object that changed, and with undefined when the watch has trouble. */
  follow(place: Place, onChange: Listener): Followed;
  /** The same for one object: hundreds may be waited for in one place, and each concerns only its own. */
  followOne(place: Place, name: string, onChange: Listener): Followed;
  close(): void;
}

export function createWatches(cluster: Cluster): Watches {
  const ended = new AbortController();
  const open = new Map<string, SharedWatch>();
  const watchOf = (place: Place): SharedWatch => {
    const key = `${place.apiVersion} ${place.kind} ${place.namespace}`;
    const watch = open.get(key) ?? new SharedWatch(cluster, place, ended.signal);
    open.set(key, watch);
    return watch;
  };
  return {
    follow: (place, onChange) => watchOf(place).follow(undefined, onChange),
    followOne: (place, name, onChange) => watchOf(place).follow(name, onChange),
    close: () => ended.abort(),
  };
}

class SharedWatch {
  readonly #sightings = new Map<string, Sighting>();
  /** By the name of the object that they are about; undefined is about all. */
  readonly #listeners = new Map<string | undefined, Set<Listener>>();
  #trouble: Trouble | undefined;

  constructor(cluster: Cluster, place: Place, signal: AbortSignal) {
    const namespace = place.namespace === "" ? undefined : place.namespace;
    void this.#consume(cluster.watch(place.apiVersion, place.kind, namespace, signal), signal);
  }

  follow(about: string | undefined, listener: Listener): Followed {
    const listeners = this.#listeners.get(about) ?? new Set();
    this.#listeners.set(about, listeners.add(listener));
    return {
      sighting: (name) => this.#sightings.get(name),
      present: () => [...this.#sightings.values()].filter((s) => s.present).map((s) => s.object),
      trouble: () => this.#trouble,
      stop: () => listeners.delete(listener),
    };
  }

  async #consume(events: AsyncIterable<Answer<WatchEvent>>, signal: AbortSignal): Promise<void> {
    try {
      for await (const answer of events) this.#take(answer);
      if (!signal.aborted) this.#giveUp(this.#trouble?.message ?? "the watch ended");
    } catch (error) {
      // Nobody awaits a watch, so what it throws has to reach those who wait for its news.
      if (!signal.aborted) this.#giveUp(String(error));
    }
  }

  #take(answer: Answer<WatchEvent>): void {
    this.#trouble = answer.ok ? undefined : { message: answer.failure.message, final: false };
    this.#tell(answer.ok ? this.#note(answer.value) : undefined);
  }

  #note({ type, object }: WatchEvent): string {
    const name = textAt(object, "metadata", "name") ?? "";
    this.#sightings.set(name, { present: type !== "DELETED", object });
    return name;
  }

  #giveUp(message: string): void {
    this.#trouble = { message, final: true };
    this.#tell(undefined);
  }

  #tell(name: string | undefined): void {
    const all = name === undefined ? [...this.#listeners.keys()] : [undefined, name];
    for (const about of all) {
      for (const listener of this.#listeners.get(about) ?? []) listener(name);
    }
  }
}
