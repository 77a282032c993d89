import type { Answer, ApiFailure } from "../../../model/api-failure.ts";
import { textAt } from "../../../model/json.ts";
import { type KubeObject, uidOf } from "../../../model/object.ts";
import type { WatchEvent } from "../../../ports/kubernetes.ts";
import { mebibytes } from "../transport/bounds.ts";
import { failure } from "../transport/failure.ts";
import type { Pace } from "../transport/pace.ts";
import type { Api } from "../verbs/api.ts";
import { list } from "../verbs/list.ts";
import { listPath } from "../verbs/paths.ts";
import { watchStream } from "./stream.ts";

/** All objects of a kind, in one namespace or in all. */
export interface Watched {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/**
 * Every object of a kind as ADDED, then what changes, until the signal aborts. Interrupted connections are resumed
 * silently: a watch continues where it was, and if the server no longer has that version (410), a new list is compared
 * with what was known. A failure that may pass is reported only if it lasts, and attempts go on; any other failure is
 * the last thing reported.
 */
export async function* watch(
  api: Api,
  watched: Watched,
  signal: AbortSignal,
): AsyncGenerator<Answer<WatchEvent>> {
  const progress: Progress = { objects: new WatchedObjects(), reached: undefined, failures: 0 };
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

/** Where a watch is; each round moves it on. */
interface Progress {
  readonly objects: WatchedObjects;
  /** The resourceVersion to continue from; undefined when a list is due. */
  reached: string | undefined;
  /** Rounds in a row that brought nothing. */
  failures: number;
}

/** Reports what a list shows to have happened. It has been repeated already, so its failure has lasted. */
async function* catchUp(
  api: Api,
  { apiVersion, kind, namespace }: Watched,
  progress: Progress,
): AsyncGenerator<Answer<WatchEvent>> {
  const listing = await list(api, apiVersion, kind, namespace);
  if (!listing.ok) {
    progress.failures += 1;
    yield listing;
    return;
  }
  progress.reached = listing.value.resourceVersion;
  const { items, bytes } = listing.value;
  for (const event of progress.objects.relist(items, bytes)) yield { ok: true, value: event };
}

/** Reports the events of one watch request, as long as it lasts. */
async function* follow(
  api: Api,
  { apiVersion, kind, namespace }: Watched,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<Answer<WatchEvent>> {
  const path = await listPath(api.discovery, apiVersion, kind, namespace);
  if (!path.ok) {
    yield path;
    return;
  }
  progress.failures += 1;
  for await (const line of watchStream(api.transport, path.value, progress.reached ?? "", signal)) {
    if (!line.ok) {
      if (line.failure.reason === "beyond-bounds") yield beyondBounds(kind, line.failure.message);
      else if (line.failure.reason === "expired") progress.reached = undefined;
      else if (isFinal(line.failure) || hasLasted(progress, api.transport.pace)) yield line;
      return;
    }
    progress.failures = 0;
    progress.reached = textAt(line.value.object, "metadata", "resourceVersion") ?? progress.reached;
    const { type, object, size } = line.value;
    if (type === "BOOKMARK") continue;
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

function beyondBounds(kind: string, what: string): Answer<never> {
  return failure("beyond-bounds", `it answered the watch of ${kind} with ${what}`);
}

function hasLasted(progress: Progress, pace: Pace): boolean {
  return progress.failures > 0 && progress.failures % pace.attempts === 0;
}

/** Whether asking again is pointless. */
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
    // Aborted: the caller checks the signal.
  }
}

/** What a watch has reported so far, so that a gap can be filled: no change is reported twice, none is left out. */
class WatchedObjects {
  readonly #byUid = new Map<string, KubeObject>();
  readonly #sizes = new Map<string, number>();
  #size = 0;

  /** Of everything that it ever reported, in characters: listeners keep the last state of deleted objects as well. */
  get size(): number {
    return this.#size;
  }

  /** What must have happened since, if these are all objects now. Deletions first: a name may be in use again. */
  relist(items: readonly KubeObject[], bytes: number): readonly WatchEvent[] {
    const size = bytes / Math.max(1, items.length);
    const present = new Set(items.map(uidOf));
    const missing = [...this.#byUid.values()].filter((object) => !present.has(uidOf(object)));
    return [
      ...missing.flatMap((object) => this.note({ type: "DELETED", object, size: 0 })),
      ...items.flatMap((object) => this.note({ type: "ADDED", object, size })),
    ];
  }

  /** The event as it is new to the listener; none when it is not. */
  note({ type, object, size }: WatchEvent & { readonly size: number }): readonly WatchEvent[] {
    const uid = uidOf(object);
    const known = this.#byUid.get(uid);
    if (type === "DELETED") {
      this.#byUid.delete(uid);
      return [{ type, object }];
    }
    if (known !== undefined && versionOf(known) === versionOf(object)) return [];
    this.#byUid.set(uid, object);
    const before = this.#sizes.get(uid) ?? 0;
    this.#sizes.set(uid, Math.max(before, size));
    this.#size += Math.max(0, size - before);
    return [{ type: known === undefined ? "ADDED" : "MODIFIED", object }];
  }
}

function versionOf(object: KubeObject): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}
