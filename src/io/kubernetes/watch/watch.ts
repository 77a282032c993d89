import { textAt } from "../../../model/json.ts";
import type { Answer, ClusterFailure, WatchEvent } from "../../../ports.ts";
import type { Pace } from "../transport/pace.ts";
import type { Api } from "../verbs/api.ts";
import { list } from "../verbs/list.ts";
import { listPath } from "../verbs/paths.ts";
import { watchStream } from "./stream.ts";
import { WatchedObjects } from "./watched-objects.ts";

/** All objects of a kind, in one namespace or in all. */
export interface Watched {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/**
 * Every object of a kind as ADDED, then what changes, until the signal aborts. Cuts are mended unseen: a watch goes on
 * where it was, and where the server no longer remembers that (410), a new list is compared with what was known.
 * A failure that may pass is reported only when it lasts, and attempts go on; any other is the last thing reported.
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
  /** The resourceVersion to go on from; undefined when a list is due. */
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
  for (const event of progress.objects.relist(listing.value.items))
    yield { ok: true, value: event };
}

/** Reports what one watch request tells, for as long as that lasts. */
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
      if (line.failure.reason === "expired") progress.reached = undefined;
      else if (isFinal(line.failure) || hasLasted(progress, api.transport.pace)) yield line;
      return;
    }
    progress.failures = 0;
    progress.reached = textAt(line.value.object, "metadata", "resourceVersion") ?? progress.reached;
    const { type, object } = line.value;
    if (type === "BOOKMARK") continue;
    for (const event of progress.objects.note({ type, object })) yield { ok: true, value: event };
  }
}

function hasLasted(progress: Progress, pace: Pace): boolean {
  return progress.failures > 0 && progress.failures % pace.attempts === 0;
}

/** Whether asking again is pointless. */
function isFinal({ reason }: ClusterFailure): boolean {
  switch (reason) {
    case "unauthorized":
    case "forbidden":
    case "not-found":
    case "invalid":
    case "unknown-kind":
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
    // Aborted: the caller looks at the signal.
  }
}
