import type { LimitFunction } from "p-limit";
import { deletionBlockReason } from "../../model/cluster/deletion-block-reason.ts";
import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import {
  describePendingDeletion,
  listFinalizers,
  type PendingDeletion,
  pendingDeletionFix,
} from "../../model/cluster/pending-deletion.ts";
import { groupOf, type KubeObject, type ObjectAddress, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Explanation } from "../failure/explain-failure.ts";
import { readBlockers } from "./read-blockers.ts";
import { listOfDefined } from "./read-holdings.ts";

interface Place {
  readonly cluster: Cluster;
  readonly limit: LimitFunction;
}

/** An object that still exists, as last read. `live` is undefined if qvs can't read it. */
export interface RemainingRead extends PendingDeletion {
  readonly live?: KubeObject | undefined;
}

/** Reads the remains of the object with this UID. Returns undefined if it no longer exists. */
export async function readRemaining(
  address: ObjectAddress,
  uid: string,
  place: Place,
): Promise<RemainingRead | undefined> {
  const answer = await place.limit(() => place.cluster.read(address));
  // If a kind no longer exists, for example after the deletion of its CRD, its objects don't
  // either.
  if (!answer.ok) {
    const { reason, message } = answer.failure;
    const absent = reason === "unknown-kind" || reason === "not-found";
    return absent ? undefined : { finalizers: [], unreadable: message };
  }
  const live = answer.value;
  return live === undefined || uidOf(live) !== uid ? undefined : remainingOf(live, place);
}

async function remainingOf(live: KubeObject, place: Place): Promise<RemainingRead> {
  const instances = await instancesOf(live, place);
  return {
    live,
    finalizers: listFinalizers(live),
    blockReason: deletionBlockReason(live),
    instances,
  };
}

/** Adds the objects that must be deleted first, which takes several LIST requests. */
export async function withBlockers(left: RemainingRead, place: Place): Promise<RemainingRead> {
  const blockers = left.live && (await readBlockers(left.live, place));
  return { ...left, blockers };
}

/** Describes an object that is being deleted, with its blockers. */
export async function describeRemaining(live: KubeObject, place: Place): Promise<PendingDeletion> {
  return withBlockers(await remainingOf(live, place), place);
}

/** Lists the objects that block the deletion of their definition. Undefined if none are known. */
async function instancesOf(
  live: KubeObject,
  { cluster, limit }: Place,
): Promise<readonly KubeObject[] | undefined> {
  if (!isCrd({ group: groupOf(live.apiVersion), kind: live.kind })) return undefined;
  const [list] = listOfDefined(live);
  if (list === undefined) return undefined;
  const answer = await limit(() => cluster.listMetadata(list.apiVersion, list.kind, undefined));
  return answer.ok && answer.value.items.length > 0 ? answer.value.items : undefined;
}

export function explainTimeout(left: PendingDeletion, timeoutMs: number): Explanation {
  const seconds = Math.round(timeoutMs / 1000);
  if (left.unreadable !== undefined) {
    return {
      code: "deletion-timeout",
      what: `its deletion was requested, but not confirmed within ${seconds} s`,
      facts: [{ label: "answer", value: left.unreadable }],
      fix: "Restore access to the API server, then run again",
    };
  }
  return {
    code: "deletion-timeout",
    what: `not deleted after ${seconds} s`,
    facts: [{ label: "status", value: describePendingDeletion(left) }],
    fix: `${pendingDeletionFix(left)}, then run again`,
  };
}
