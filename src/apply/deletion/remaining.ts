import type { LimitFunction } from "p-limit";
import { heldBackBy } from "../../model/cluster/held-back.ts";
import { isDefinition } from "../../model/cluster/holder.ts";
import { listAt } from "../../model/json.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  nameOf,
  type ObjectAddress,
  uidOf,
} from "../../model/object.ts";
import { listed } from "../../model/text/closest.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Explanation } from "../failure/explain-failure.ts";
import { listOfDefined } from "./read-holdings.ts";

/** What is known of an object that still exists. */
export interface RemainingObject {
  readonly finalizers: readonly string[];
  /** What the server itself says of it. */
  readonly heldBack?: string | undefined;
  /** The objects of the kind that it defines. */
  readonly instances?: readonly KubeObject[] | undefined;
  /** Why it could not be read. */
  readonly unreadable?: string;
}

interface Place {
  readonly cluster: Cluster;
  readonly limit: LimitFunction;
}

/** What remains of the object with this uid; undefined when it no longer exists. */
export async function readRemaining(
  address: ObjectAddress,
  uid: string,
  { cluster, limit }: Place,
): Promise<RemainingObject | undefined> {
  const answer = await limit(() => cluster.read(address));
  // The objects of a kind that no longer exists, as after its CRD was deleted, are deleted as well.
  if (!answer.ok) {
    const { reason, message } = answer.failure;
    const absent = reason === "unknown-kind" || reason === "not-found";
    return absent ? undefined : { finalizers: [], unreadable: message };
  }
  const live = answer.value;
  if (live === undefined || uidOf(live) !== uid) return undefined;
  const instances = await instancesOf(live, { cluster, limit });
  return { finalizers: finalizersOf(live), heldBack: heldBackBy(live), instances };
}

/** Lists the objects that hold back the deletion of their definition; undefined where none are known. */
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

function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((f) => typeof f === "string");
}

export function remainingText(left: RemainingObject): string {
  const { finalizers, heldBack, unreadable, instances } = left;
  if (unreadable !== undefined) return `it can't be looked at: ${unreadable}`;
  if (instances !== undefined) return instancesText(instances);
  if (heldBack !== undefined) return heldBack;
  const controllers = finalizers.filter((name) => name !== ofOwned);
  if (controllers.length > 0) return `held by the finalizers ${controllers.join(", ")}`;
  return finalizers.length === 0 ? "it is still there" : "what it owns is still being deleted";
}

const mostInstances = 3;

/** `2 objects of its kind remain: Backup shop/a (finalizers example.com/hold), Backup shop/b`. */
function instancesText(instances: readonly KubeObject[]): string {
  const texts = instances.map((object) => {
    const finalizers = finalizersOf(object);
    const held = finalizers.length === 0 ? "" : ` (finalizers ${finalizers.join(", ")})`;
    return `${nameOf(idOf(object))}${held}`;
  });
  const count =
    texts.length === 1
      ? "1 object of its kind remains"
      : `${texts.length} objects of its kind remain`;
  return `${count}: ${listed(texts.toSorted(), mostInstances)}`;
}

/** The garbage collector's own: it goes once everything that names the object as its owner, and blocks its deletion, is gone. */
const ofOwned = "foregroundDeletion";

/** Finalizers of Kubernetes itself, which no controller of an operator removes, and how they end. */
const endings: ReadonlyMap<string, string> = new Map([
  [
    ofOwned,
    "Find the objects that name it in metadata.ownerReferences and what keeps them from being deleted",
  ],
  ["kubernetes.io/pvc-protection", "Delete the Pods that still use the claim"],
  ["kubernetes.io/pv-protection", "Delete the claim that is bound to the volume"],
  [
    "service.kubernetes.io/load-balancer-cleanup",
    "Check that the controller of the load balancer runs: it removes the finalizer once it has deleted the load balancer",
  ],
]);

const byControllers =
  "Check that the controller of each finalizer runs and can do its work; if it no longer exists, remove its finalizer";

function fixFor({ finalizers, heldBack, instances = [] }: RemainingObject): string {
  if (instances.length > 0) {
    return instances.some((object) => finalizersOf(object).length > 0)
      ? byControllers
      : "Check what keeps these objects from being deleted";
  }
  if (heldBack !== undefined) {
    return /finalizer/i.test(heldBack) ? byControllers : "Correct what the API server says";
  }
  if (finalizers.length === 0) return "Check what keeps it from being deleted";
  const known = finalizers.flatMap((name) => endings.get(name) ?? []);
  return known.length === finalizers.length ? known.join("; ") : byControllers;
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
    fix: `${fixFor(left)}, then run again`,
  };
}
