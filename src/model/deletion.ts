import type { Holdings } from "./cluster/holder.ts";
import type { Products } from "./cluster/products.ts";
import type { Stage } from "./compilation.ts";
import { type KubeObject, nameOf, type ObjectId } from "./object.ts";
import type { Edge } from "./plan.ts";
import { listed } from "./text/closest.ts";

/** What the cluster deletes because it goes with something else, as far as that is known. */
export interface AlsoDeleted {
  /** Sorted by key. What the plan deletes itself is not among them, nor Pods and the like, which their controller has made. */
  readonly objects: readonly AlsoDeletedObject[];
  /** Why its claims can't be told. */
  readonly unread?: string | undefined;
}

export interface AlsoDeletedObject {
  readonly key: string;
  readonly id: ObjectId;
  /** The deployment that its label names. */
  readonly deployment?: string | undefined;
}

export interface Deletion {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  readonly apiVersion: string;
  /** Precondition: only this very object is deleted. */
  readonly uid: string;
  readonly live: KubeObject;
  /** What may be shown of it; undefined where no release tells what of it this deployment has written, and what came from Secrets. */
  readonly ours?: OwnPart | undefined;
  /** Keys that must be gone before this one goes. */
  readonly after: readonly Edge[];
  /** Set where a keepOnDelete object goes because enough newer ones of its key stay. */
  readonly retires?: PrunedRevision | undefined;
  readonly alsoDeleted?: AlsoDeleted | undefined;
  /** Set where objects that others may use by name are deleted with it, since it owns them. */
  readonly products?: Products | undefined;
  /** What of others is deleted with it, and nothing else: set for a Namespace or CustomResourceDefinition. */
  readonly holds?: Holdings | undefined;
}

interface OwnPart {
  /** As a release has sent it last, with its references. */
  readonly sent: KubeObject;
  /** The texts of the live object that references have put there from Secrets. */
  readonly secretTexts: readonly string[];
}

/** Precondition: the object has this key and number, so nobody has protected it in another way. */
export interface PrunedRevision {
  readonly key: string;
  readonly revision: string;
  /** Set where none of its key is to stay, since the deployment is deleted. */
  readonly isLast?: true;
}

export interface KeptObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly why:
    | "keepOnDelete"
    | "not ours"
    | "only one stage"
    | "needed"
    | "in use"
    | "use unknown"
    | "holds releases"
    | "not changed"
    | "record unreadable"
    | "met before";
  readonly detail: string;
  /** The command that makes an object of an earlier version this deployment's, where it looks like one. */
  readonly claim?: string | undefined;
  /** What is known of one that its keepOnDelete key protects. */
  readonly keeping?: Keeping | undefined;
}

/** Why something is kept of which nobody can say whether Pods still use it. */
export function unknownUse(why: string): string {
  return `it is unknown whether it is still used: ${why}`;
}

/** Says who still uses the object, or another one that would be deleted with it. */
export function stillUsed(users: readonly string[], product?: ObjectId): string {
  const by = `still used by ${listed(users, mostUsers)}`;
  return product === undefined ? by : `it owns ${nameOf(product)}, which is ${by}`;
}

const mostUsers = 3;

export interface Keeping {
  readonly key: string;
  readonly revision: string;
  /** The first release that did not declare it any more; undefined where this deployment will be it, or no record tells. */
  readonly since: number | undefined;
  /** Live Pods and objects with Pod templates that name it; undefined where that can't be told. */
  readonly users: readonly string[] | undefined;
}
