import type { ApiFailure, ApiResult } from "../../src/model/cluster/api/api-failure.ts";
import { assumedVersion } from "../../src/model/cluster/api/server-version.ts";
import { type JsonObject, numberAt, textAt } from "../../src/model/json.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectAddress,
} from "../../src/model/object.ts";
import type { Cluster, WatchEvent } from "../../src/ports/kubernetes.ts";

/** Simulates a controller: returns the states of an object that follow after an apply. */
export type Controller = (applied: KubeObject) => readonly KubeObject[];

export interface FakeCluster extends Cluster {
  /** The writes in order of arrival, such as `apply ConfigMap shop/a`. */
  readonly writes: readonly string[];
  /** The opened watches. */
  readonly watches: readonly string[];
  put(object: KubeObject): void;
  remove(address: ObjectAddress): void;
  get(key: string): KubeObject | undefined;
  /** Sets the failures with which the next writes of an object are answered. */
  refuse(name: string, ...failures: readonly ApiFailure[]): void;
  /** Registers a listener that is called with each write, before the answer. */
  onWrite(listener: (write: string) => void): void;
}

/**
 * Creates an in-memory cluster for tests of write order and faults.
 * System tests cover real behavior.
 */
export function fakeCluster(
  objects: readonly KubeObject[] = [],
  controller: Controller = () => [],
): FakeCluster {
  const store = new Map<string, KubeObject>();
  const open = new Set<{ matches: (o: KubeObject) => boolean; push: (e: WatchEvent) => void }>();
  const refusals = new Map<string, ApiFailure[]>();
  const listeners: ((write: string) => void)[] = [];
  const writes: string[] = [];
  const watches: string[] = [];
  let version = 1;

  function tell(type: WatchEvent["type"], object: KubeObject): void {
    for (const watch of open) if (watch.matches(object)) watch.push({ type, object });
  }

  function save(object: KubeObject): KubeObject {
    const key = keyOf(idOf(object));
    const before = store.get(key);
    const metadata: JsonObject = {
      uid: textAt(before, "metadata", "uid") ?? `uid-${nameOf(idOf(object))}-${version + 1}`,
      ...object.metadata,
      resourceVersion: String(++version),
    };
    const saved = { ...object, metadata };
    store.set(key, saved);
    tell(before === undefined ? "ADDED" : "MODIFIED", saved);
    return saved;
  }

  function drop(key: string): void {
    const object = store.get(key);
    if (object === undefined) return;
    store.delete(key);
    tell("DELETED", object);
  }

  async function note(write: string, name: string): Promise<ApiFailure | undefined> {
    writes.push(write);
    for (const listener of listeners) listener(write);
    await later();
    return refusals.get(name)?.shift();
  }

  async function applyAll(states: readonly KubeObject[]): Promise<void> {
    for (const state of states) {
      await later();
      if (store.has(keyOf(idOf(state)))) save(state);
    }
  }

  for (const object of objects) save(object);

  return {
    server: "https://fake.invalid",
    writes,
    watches,
    put: (object) => void save(object),
    remove: (address) => drop(keyOf(toId(address))),
    get: (key) => store.get(key),
    refuse: (name, ...failures) => void refusals.set(name, [...failures]),
    onWrite: (listener) => void listeners.push(listener),
    version: async () => ok(assumedVersion),
    async kind(apiVersion, kind) {
      const [version = ""] = apiVersion.split("/").slice(-1);
      const plural = `${kind.toLowerCase()}s`;
      return ok({
        group: groupOf(apiVersion),
        version,
        kind,
        plural,
        namespaced: true,
        listable: true,
      });
    },
    preferredKind: async () => refused("unknown-kind", 404, "the fake knows no preferences"),
    kinds: async () => refused("unknown-kind", 404, "the fake lists no kinds"),
    apis: async () => ok({ kinds: [], names: [], unreadable: [] }),
    servesApi: async () => ok(false),
    schema: async () => ok(undefined),
    forgetKinds: () => void writes.push("forget kinds"),
    async read(address) {
      await later();
      return ok(store.get(keyOf(toId(address))));
    },
    async list(apiVersion, kind, namespace, labelSelector) {
      await later();
      const wanted = (labelSelector ?? "").split(",").filter((part) => part !== "");
      const items = [...store.values()].filter(
        (o) => isAt(o, apiVersion, kind, namespace) && wanted.every((part) => hasLabel(o, part)),
      );
      return ok({ items, resourceVersion: String(version) });
    },
    async listMetadata(apiVersion, kind, namespace, labelSelector, fieldSelector) {
      const listed = await this.list(apiVersion, kind, namespace, labelSelector);
      if (!listed.ok) return listed;
      const [field = "", value] = fieldSelector?.split("=") ?? [];
      const items = listed.value.items
        .filter((object) => fieldSelector === undefined || object[field] === value)
        .map(({ metadata }) => ({ apiVersion, kind, metadata }));
      return ok({ ...listed.value, items });
    },
    async apply(object) {
      const name = nameOf(idOf(object));
      const failure = await note(`apply ${name}`, name);
      if (failure !== undefined) return { ok: false, failure };
      const before = store.get(keyOf(idOf(object)));
      const generation = (numberAt(before, "metadata", "generation") ?? 0) + 1;
      const metadata = { ...object.metadata, generation };
      const saved = save({ ...withStatus(object, before), metadata });
      void applyAll(controller(saved));
      return ok(saved);
    },
    create: async (object, how) => ok(how?.dryRun === true ? object : save(object)),
    patch: async () => {
      throw new Error("This fake cluster doesn't support JSON Patch.");
    },
    replace: async (object, how) => ok(how?.dryRun === true ? object : save(object)),
    dryRunDelete: async () => ok(undefined),
    async delete(address, uid, resourceVersion) {
      const name = nameOf(toId(address));
      const failure = await note(`delete ${name}`, name);
      if (failure !== undefined) return { ok: false, failure };
      const object = store.get(keyOf(toId(address)));
      if (object !== undefined && textAt(object, "metadata", "uid") !== uid) {
        return refused("conflict", 409, "the UID in the precondition does not match");
      }
      const known = resourceVersion ?? object?.metadata.resourceVersion;
      if (object?.metadata.resourceVersion !== known) {
        return refused("conflict", 409, "the ResourceVersion in the precondition does not match");
      }
      const held = (object?.metadata.finalizers ?? []) as readonly string[];
      if (object !== undefined && held.length > 0) {
        save({ ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01" } });
      } else void later().then(() => drop(keyOf(toId(address))));
      return ok(undefined);
    },
    watch(apiVersion, kind, namespace, signal) {
      watches.push(`${apiVersion} ${kind} ${namespace ?? ""}`.trim());
      const matches = (o: KubeObject) => isAt(o, apiVersion, kind, namespace);
      const present = [...store.values()].filter(matches);
      const queue = createQueue(signal);
      for (const object of present) queue.push({ type: "ADDED", object });
      open.add({ matches, push: queue.push });
      return queue.events;
    },
    async *watchMetadata({ apiVersion, kind, namespace, labelSelector }, signal) {
      watches.push(`metadata of ${apiVersion} ${kind} ${namespace ?? ""}`.trim());
      const selectors = labelSelector.split(",");
      const matches = (o: KubeObject) =>
        isAt(o, apiVersion, kind, namespace) && selectors.every((one) => hasLabel(o, one));
      const queue = createQueue(signal);
      open.add({ matches, push: queue.push });
      for (const object of [...store.values()].filter(matches)) {
        yield ok({ type: "ADDED" as const, object });
      }
      yield ok({ type: "SYNCED" as const });
      yield* queue.events;
    },
    getFromService: async () => ({ type: "unanswered", why: "the fake has no Services" }),
    logTail: async () => "listening on :8080\npanic: no database",
  };
}

export function refused(
  reason: ApiFailure["reason"],
  status: number,
  message: string,
  causes: ApiFailure["causes"] = [],
): { readonly ok: false; readonly failure: ApiFailure } {
  return { ok: false, failure: { reason, status, message, causes } };
}

function ok<T>(value: T): ApiResult<T> {
  return { ok: true, value };
}

function toId({ apiVersion, kind, namespace, name }: ObjectAddress) {
  return { group: groupOf(apiVersion), kind, namespace, name };
}

function isAt(o: KubeObject, apiVersion: string, kind: string, namespace: string | undefined) {
  const placed = namespace === undefined || idOf(o).namespace === namespace;
  return o.apiVersion === apiVersion && o.kind === kind && placed;
}

function hasLabel(object: KubeObject, selector: string): boolean {
  if (selector.startsWith("!")) return !hasLabel(object, selector.slice(1));
  const [name = "", value] = selector.split("=");
  const found = textAt(object, "metadata", "labels", name);
  return value === undefined ? found !== undefined : found === value;
}

function withStatus(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const status = before?.status;
  return status === undefined || object.status !== undefined ? object : { ...object, status };
}

function later(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function createQueue(signal: AbortSignal): {
  push: (event: WatchEvent) => void;
  events: AsyncIterable<ApiResult<WatchEvent>>;
} {
  const waiting: WatchEvent[] = [];
  let wake = () => {};
  signal.addEventListener("abort", () => wake());
  async function* events(): AsyncGenerator<ApiResult<WatchEvent>> {
    while (!signal.aborted) {
      const event = waiting.shift();
      if (event !== undefined) yield ok(event);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    events: events(),
  };
}
