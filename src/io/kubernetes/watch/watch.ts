import type { ApiFailure, ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { textAt } from "../../../model/json.ts";
import { type KubeObject, uidOf } from "../../../model/object.ts";
import type { MetadataEvent, MetadataQuery, WatchEvent } from "../../../ports/kubernetes.ts";
import { failure } from "../transport/failure.ts";
import { mebibytes, type Pace } from "../transport/limits.ts";
import { type Api, listPath } from "../verbs/api.ts";
import { list, listMetadata } from "../verbs/reads.ts";
import { watchStream } from "./stream.ts";

/** The objects to watch: all of one kind, in one namespace or in all. */
export interface WatchedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly labelSelector?: string;
  /** Set to request only metadata, and to forget deleted objects. */
  readonly metadataOnly?: true;
}

/**
 * The API server's short form of an object
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches). It has no
 * fallback, like the short form of lists, because a fallback would contain whole objects.
 */
const acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** Implements `Cluster.watch`. Its readers wait for objects, not for the end of a list. */
export async function* watch(
  api: Api,
  watched: WatchedKind,
  signal: AbortSignal,
): AsyncGenerator<ApiResult<WatchEvent>> {
  for await (const answer of watchWithSyncs(api, watched, signal)) {
    if (!answer.ok) yield answer;
    else if (answer.value.type !== "SYNCED") yield { ok: true, value: answer.value };
  }
}

/** Implements `Cluster.watchMetadata`. */
export async function* watchMetadata(
  api: Api,
  query: MetadataQuery,
  signal: AbortSignal,
): AsyncGenerator<ApiResult<MetadataEvent>> {
  yield* watchWithSyncs(api, { ...query, metadataOnly: true }, signal);
}

/**
 * Yields every object of a kind as ADDED, then each change, until the signal aborts. It resumes
 * interrupted connections silently. If the server no longer has that version (410), it compares a
 * new list with the known objects. A temporary failure is reported only if it lasts, and attempts
 * continue. Any other failure is the last item.
 */
async function* watchWithSyncs(
  api: Api,
  watched: WatchedKind,
  signal: AbortSignal,
): AsyncGenerator<ApiResult<MetadataEvent>> {
  const objects = new WatchedObjects(watched.metadataOnly === true);
  const progress: WatchProgress = { objects, reached: undefined, failures: 0 };
  while (!signal.aborted) {
    const round = progress.reached === undefined ? catchUp : follow;
    for await (const answer of round(api, watched, progress, signal)) {
      if (signal.aborted) return;
      yield answer;
      if (!answer.ok && isFinal(answer.failure)) return;
    }
    if (progress.failures > 0) await pause(progress.failures, api.transport.pace, signal);
  }
}

/** The progress of a watch, which each round updates. */
interface WatchProgress {
  readonly objects: WatchedObjects;
  /** The resourceVersion to continue from; undefined if a list is due. */
  reached: string | undefined;
  /** The number of rounds in a row without any event. */
  failures: number;
}

/**
 * Reports the events that a list implies. The transport already retried the list, so a failure of
 * it has lasted.
 */
async function* catchUp(
  api: Api,
  watched: WatchedKind,
  progress: WatchProgress,
): AsyncGenerator<ApiResult<MetadataEvent>> {
  const { apiVersion, kind, namespace, labelSelector } = watched;
  const listAll = watched.metadataOnly ? listMetadata : list;
  const listing = await listAll(api, apiVersion, kind, namespace, labelSelector);
  if (!listing.ok) {
    progress.failures += 1;
    yield listing;
    return;
  }
  progress.reached = listing.value.resourceVersion;
  const { items, bytes } = listing.value;
  const listed = watched.metadataOnly ? items.map((item) => restoreType(item, watched)) : items;
  for (const event of progress.objects.relist(listed, bytes)) yield { ok: true, value: event };
  yield { ok: true, value: { type: "SYNCED" } };
}

/** Restores the apiVersion and kind of a short object, which has a kind of its own. */
function restoreType({ metadata }: KubeObject, { apiVersion, kind }: WatchedKind): KubeObject {
  return { apiVersion, kind, metadata };
}

/** Reports the events of one watch request while it lasts. */
async function* follow(
  api: Api,
  watched: WatchedKind,
  progress: WatchProgress,
  signal: AbortSignal,
): AsyncGenerator<ApiResult<WatchEvent>> {
  const { apiVersion, kind, namespace, labelSelector } = watched;
  const path = await listPath(api.discovery, apiVersion, kind, namespace);
  if (!path.ok) {
    yield path;
    return;
  }
  progress.failures += 1;
  const accept = watched.metadataOnly ? acceptMetadata : undefined;
  const resourceVersion = progress.reached ?? "";
  const request = { path: path.value, resourceVersion, labelSelector, accept };
  for await (const line of watchStream(api.transport, request, signal)) {
    if (!line.ok) {
      if (line.failure.reason === "beyond-bounds") yield beyondBounds(kind, line.failure.message);
      else if (line.failure.reason === "expired") progress.reached = undefined;
      else if (isFinal(line.failure) || hasLasted(progress, api.transport.pace)) yield line;
      return;
    }
    progress.failures = 0;
    progress.reached = textAt(line.value.object, "metadata", "resourceVersion") ?? progress.reached;
    const { type, object: sent, size } = line.value;
    if (type === "BOOKMARK") continue;
    const object = watched.metadataOnly ? restoreType(sent, watched) : sent;
    for (const event of progress.objects.note({ type, object, size })) {
      yield { ok: true, value: event };
    }
    const { list: limit } = api.transport.bounds;
    if (progress.objects.size > limit) {
      yield beyondBounds(kind, `more than ${mebibytes(limit)} of objects`);
      return;
    }
  }
}

function beyondBounds(kind: string, what: string): ApiResult<never> {
  return failure("beyond-bounds", `the API server answered the watch of ${kind} with ${what}`);
}

function hasLasted(progress: WatchProgress, pace: Pace): boolean {
  return progress.failures > 0 && progress.failures % pace.attempts === 0;
}

/** Reports whether a retry is pointless. */
function isFinal({ reason }: ApiFailure): boolean {
  switch (reason) {
    case "unauthorized":
    case "forbidden":
    case "not-found":
    case "invalid":
    case "unknown-kind":
    case "beyond-bounds":
      return true;
    case "unreachable":
    case "expired":
    case "conflict":
    case "already-exists":
    case "other":
      return false;
  }
}

async function pause(failures: number, pace: Pace, signal: AbortSignal): Promise<void> {
  const limit = Math.min(pace.longestDelay, pace.firstDelay * 2 ** (failures - 1));
  try {
    await pace.sleep(Math.random() * limit, signal);
  } catch {
    // The sleep was aborted; the caller checks the signal.
  }
}

/**
 * The objects that a watch has reported so far. They let it fill a gap: it reports no change twice
 * and omits none.
 */
class WatchedObjects {
  readonly #byUid = new Map<string, KubeObject>();
  readonly #sizes = new Map<string, number>();
  readonly #forgetsDeleted: boolean;
  #size = 0;

  constructor(forgetsDeleted: boolean) {
    this.#forgetsDeleted = forgetsDeleted;
  }

  /**
   * The size of all reported objects, in characters. It includes the last state of deleted objects,
   * which listeners keep, unless the watch forgets them.
   */
  get size(): number {
    return this.#size;
  }

  /**
   * Returns the events that must have happened if these are all objects now. Deletions are first,
   * because a new object can have the same name.
   */
  relist(items: readonly KubeObject[], bytes: number): readonly WatchEvent[] {
    const size = bytes / Math.max(1, items.length);
    const present = new Set(items.map(uidOf));
    const missing = [...this.#byUid.values()].filter((object) => !present.has(uidOf(object)));
    return [
      ...missing.flatMap((object) => this.note({ type: "DELETED", object, size: 0 })),
      ...items.flatMap((object) => this.note({ type: "ADDED", object, size })),
    ];
  }

  /** Returns the event as the listener must see it; empty if it isn't new. */
  note({ type, object, size }: WatchEvent & { readonly size: number }): readonly WatchEvent[] {
    const uid = uidOf(object);
    const known = this.#byUid.get(uid);
    if (type === "DELETED") {
      this.#byUid.delete(uid);
      if (this.#forgetsDeleted) this.#forgetSize(uid);
      return [{ type, object }];
    }
    if (known !== undefined && objectVersion(known) === objectVersion(object)) return [];
    this.#byUid.set(uid, this.#forgetsDeleted ? withoutOwners(object) : object);
    const before = this.#sizes.get(uid) ?? 0;
    this.#sizes.set(uid, Math.max(before, size));
    this.#size += Math.max(0, size - before);
    return [{ type: known === undefined ? "ADDED" : "MODIFIED", object }];
  }

  #forgetSize(uid: string): void {
    this.#size -= this.#sizes.get(uid) ?? 0;
    this.#sizes.delete(uid);
  }
}

/** Drops the field owners. They are most of the metadata, and no caller needs them again. */
function withoutOwners(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function objectVersion(object: KubeObject): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}
