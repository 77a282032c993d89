import { keepOnDeleteAnnotation } from "../annotations.ts";
import { isJob } from "../cluster/jobs.ts";
import type { DeletedContents } from "../cluster/namespaces-and-crds.ts";
import type { Products } from "../cluster/owned-objects.ts";
import { at, type JsonObject, textAt } from "../json.ts";
import { groupOf, type KubeObject, type ObjectId } from "../object.ts";
import type { Stage } from "../sources/compilation.ts";
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

/** The events of Helm at which hooks of a deletion run. */
export const deletionEvents = ["pre-delete", "post-delete"] as const;
export type DeletionEvent = (typeof deletionEvents)[number];

/**
 * The annotation in the Pod template of a hook Job: the event and the release whose deletion it
 * belongs to, such as `pre-delete of release 3`. A Job that ran for an earlier release runs again.
 * Only qvs writes it.
 */
const hookEventAnnotation = "vs.axis-dev.io/hook";

/** The path of the annotation in a Job. */
export const hookEventPath: readonly string[] = [
  "spec",
  "template",
  "metadata",
  "annotations",
  hookEventAnnotation,
];

/** The fix that leaves out the hooks of a deletion, as the first one and as a further one. */
export const noHooksFix = "Delete without hooks: add --no-hooks";
export const otherNoHooksFix = "delete without hooks: add --no-hooks";

/** The place of a hook in a deletion. */
export interface HookRule {
  /** `pre-delete`: before anything is deleted. `post-delete`: after everything is deleted. */
  readonly event: DeletionEvent;
}

/** A hook of a chart that runs when the deployment is deleted. Only the record contains it. */
export interface DeletionHook extends HookRule {
  readonly object: JsonObject;
  /**
   * Set if each rendering of the hook gives another object. A difference alone then makes no new
   * release.
   */
  readonly isRandom?: true | undefined;
}

/** The kinds that a deletion runs or a Job needs. Their deletion deletes no other object. */
const hookKinds: ReadonlySet<string> = new Set([
  "batch/Job",
  ...["ConfigMap", "Secret", "ServiceAccount"].map((kind) => `/${kind}`),
  ...["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"].map(
    (kind) => `rbac.authorization.k8s.io/${kind}`,
  ),
]);

/** Returns the reason why a deletion must not run a hook; undefined if it can. */
export function hookRefusal(object: JsonObject): string | undefined {
  const kind = textAt(object, "kind") ?? "";
  const id = { group: groupOf(textAt(object, "apiVersion") ?? ""), kind };
  if (!hookKinds.has(`${id.group}/${kind}`))
    return `qvs deletes the hooks of a deletion at its end, and a ${kind} might hold data or other objects`;
  const annotations = at(object, "metadata", "annotations");
  const policy = textAt(annotations, "helm.sh/resource-policy")?.trim().toLowerCase();
  if (policy === "keep" || at(annotations, keepOnDeleteAnnotation) !== undefined)
    return "Its annotation keeps it, and qvs deletes the hooks of a deletion at its end";
  if (!isJob(id)) return undefined;
  if (at(object, "spec", "suspend") === true) return "It is suspended, so it never completes";
  return at(object, "spec", "parallelism") === 0
    ? "Its parallelism is 0, so it never completes"
    : undefined;
}
