import type { LimitFunction } from "p-limit";
import { heldBackBy } from "../../model/cluster/held-back.ts";
import { isDefinition } from "../../model/cluster/holder.ts";
import {
  finalizersOf,
  type RemainingObject,
  remainingFix,
  remainingText,
} from "../../model/cluster/remaining.ts";
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
export interface RemainingRead extends RemainingObject {
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
  return { live, finalizers: finalizersOf(live), heldBack: heldBackBy(live), instances };
}

/** Adds the objects that must be deleted first, which takes several LIST requests. */
export async function withBlockers(left: RemainingRead, place: Place): Promise<RemainingRead> {
  const blockers = left.live && (await readBlockers(left.live, place));
  return { ...left, blockers };
}

/** Describes an object that is being deleted, with its blockers. */
export async function describeRemaining(live: KubeObject, place: Place): Promise<RemainingObject> {
  return withBlockers(await remainingOf(live, place), place);
}

/** Lists the objects that block the deletion of their definition. Undefined if none are known. */
async function instancesOf(
  live: KubeObject,
  { cluster, limit }: Place,
): Promise<readonly KubeObject[] | undefined> {
  if (!isDefinition({ group: groupOf(live.apiVersion), kind: live.kind })) return undefined;
  const [list] = listOfDefined(live);
  if (list === undefined) return undefined;
  const answer = await limit(() => cluster.listMetadata(list.apiVersion, list.kind, undefined));
  return answer.ok && answer.value.items.length > 0 ? answer.value.items : undefined;
}

export function explainTimeout(left: RemainingObject, timeoutMs: number): Explanation {
  const seconds = Math.round(timeoutMs / 1000);
  if (left.unreadable !== undefined) {
    const what = `its deletion was requested, but not seen in ${seconds} s: ${remainingText(left)}`;
    return {
      code: "deletion-timeout",
      what,
      fix: "Check what keeps the cluster from answering, then run again",
    };
  }
  return {
    code: "deletion-timeout",
    what: `it is not deleted after ${seconds} s: ${remainingText(left)}`,
    fix: `${remainingFix(left)}, then run again`,
  };
}
