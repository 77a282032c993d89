import type { DeletedContents } from "./cluster/namespaces-and-crds.ts";
import type { Products } from "./cluster/owned-objects.ts";
import type { Stage } from "./compilation.ts";
import type { KubeObject, ObjectId } from "./object.ts";
import type { Edge } from "./plan.ts";

/** The objects that Kubernetes deletes with another object, as far as qvs knows them. */
export interface AlsoDeleted {
  /**
   * Sorted by key. Objects that the plan deletes itself aren't included, nor objects that a
   * controller created, such as Pods.
   */
  readonly objects: readonly AlsoDeletedObject[];
  /** The reason why qvs doesn't know which PersistentVolumeClaims are deleted. */
  readonly unread?: string | undefined;
}

export interface AlsoDeletedObject {
  readonly key: string;
  readonly id: ObjectId;
  /** The deployment in the object's label. */
  readonly deployment?: string | undefined;
}

export interface Deletion {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  readonly apiVersion: string;
  /** A precondition: qvs deletes only the object with this UID. */
  readonly uid: string;
  readonly live: KubeObject;
  /**
   * The part that qvs can show. Undefined if no release records what this deployment wrote and
   * which values came from Secrets.
   */
  readonly lastSent?: LastSentObject | undefined;
  /** The objects that must be deleted before this one. */
  readonly after: readonly Edge[];
  /**
   * Set for a `keepOnDelete` object that is deleted because enough newer objects of its key remain.
   */
  readonly prunedRevision?: PrunedRevision | undefined;
  readonly alsoDeleted?: AlsoDeleted | undefined;
  /**
   * Set if the object owns objects that other objects can use by name, and that are deleted with
   * it.
   */
  readonly products?: Products | undefined;
  /**
   * The objects outside this deployment that are deleted with a Namespace or
   * CustomResourceDefinition.
   */
  readonly contents?: DeletedContents | undefined;
}

interface LastSentObject {
  /** The object as a release sent it last, with its references. */
  readonly sent: KubeObject;
  /** The strings of the live object that references copied from Secrets. */
  readonly secretValues: readonly string[];
}

/**
 * A precondition: the object still has this key and number. Otherwise, a user protected it in
 * another way.
 */
export interface PrunedRevision {
  readonly key: string;
  readonly revision: string;
  /** Set if no object of the key remains, because the deployment is deleted. */
  readonly isLast?: true;
}

export interface KeptObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly why:
    | "keepOnDelete"
    | "not ours"
    | "declared elsewhere"
    | "only one stage"
    | "needed"
    | "in use"
    | "use unknown"
    | "holds releases"
    | "not changed"
    | "record unreadable"
    | "chart unknown"
    | "met before";
  readonly detail: string;
  /**
   * The command that assigns the object to this deployment, or hands it over to the one that
   * declares it. Set if the object looks like one of an earlier version, or is declared elsewhere.
   */
  readonly claim?: string | undefined;
  /** The details of an object that its `keepOnDelete` key protects. */
  readonly keeping?: KeepDetails | undefined;
}

export interface KeepDetails {
  readonly key: string;
  readonly revision: string;
  /**
   * The first release that didn't declare the object. Undefined if this deployment will be that
   * release, or if no record shows it.
   */
  readonly since: number | undefined;
  /** The live Pods, and objects with Pod templates, that name the object; undefined if unknown. */
  readonly users: readonly string[] | undefined;
}
