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
import type { FailureExplanation } from "../failure/explain-failure.ts";
import { readBlockers } from "./read-blockers.ts";
import { customResourceQueries } from "./read-contents.ts";

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
  context: Place,
): Promise<RemainingRead | undefined> {
  const answer = await context.limit(() => context.cluster.read(address));
  // If a kind no longer exists, for example after the deletion of its CRD, its objects don't
  // either.
  if (!answer.ok) {
    const { reason, message } = answer.failure;
    const absent = reason === "unknown-kind" || reason === "not-found";
    return absent ? undefined : { finalizers: [], unreadable: message };
  }
  const live = answer.value;
  return live === undefined || uidOf(live) !== uid ? undefined : toRemaining(live, context);
}

async function toRemaining(live: KubeObject, context: Place): Promise<RemainingRead> {
  const instances = await remainingInstances(live, context);
  return {
    live,
    finalizers: listFinalizers(live),
    blockReason: deletionBlockReason(live),
    instances,
  };
}

/** Adds the objects that must be deleted first, which takes several LIST requests. */
export async function withBlockers(left: RemainingRead, context: Place): Promise<RemainingRead> {
  const blockers = left.live && (await readBlockers(left.live, context));
  return { ...left, blockers };
}

/** Describes an object that is being deleted, with its blockers. */
export async function describeRemaining(
  live: KubeObject,
  context: Place,
): Promise<PendingDeletion> {
  return withBlockers(await toRemaining(live, context), context);
}

/** Lists the objects that block the deletion of their definition. Undefined if none are known. */
async function remainingInstances(
  live: KubeObject,
  { cluster, limit }: Place,
): Promise<readonly KubeObject[] | undefined> {
  if (!isCrd({ group: groupOf(live.apiVersion), kind: live.kind })) return undefined;
  const [list] = customResourceQueries(live);
  if (list === undefined) return undefined;
  const answer = await limit(() => cluster.listMetadata(list.apiVersion, list.kind, undefined));
  return answer.ok && answer.value.items.length > 0 ? answer.value.items : undefined;
}

export function explainDeletionTimeout(
  left: PendingDeletion,
  timeoutMs: number,
): FailureExplanation {
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
