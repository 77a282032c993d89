import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import type { ServerVersion } from "../model/cluster/api/server-version.ts";
import type { UpstreamChange, UpstreamDeletion } from "../model/deployments/other-deployments.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * A value from the cluster, or the reason why qvs can't read it.
 * The reason completes the sentence "… can't be read: …".
 */
export type ClusterFact<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

type ObjectListFact = ClusterFact<readonly KubeObject[]>;

/**
 * The facts about the cluster that decide the outcome of a plan, in addition to the plan's objects.
 * qvs reads only the facts that matter for the plan.
 */
export interface ClusterFacts extends SchedulingFacts {
  /** The version of the API server; undefined if it can't be read. */
  readonly server?: ServerVersion | undefined;
  /** The answers to dry runs of one Pod of each changed template, by the key of the change. */
  readonly samplePods: ReadonlyMap<string, ApiResult<KubeObject>>;
  /** The answers to dry runs of one claim of each claim template, by the key of the change. */
  readonly sampleClaims: ReadonlyMap<string, readonly SampleClaim[]>;
  /** The changes of earlier deployments. */
  readonly upstreamChanges: readonly UpstreamChange[];
  /** The deletions of earlier deployments. */
  readonly upstreamDeletions: readonly UpstreamDeletion[];
  /** ResourceQuotas of the namespaces that the plan writes to. */
  readonly quotas: FactsByNamespace<readonly KubeObject[]>;
  /**
   * Objects that Pod templates and other objects name and that the plan doesn't declare, by key.
   */
  readonly dependencies: ReadonlyMap<string, ClusterFact<DependencyFact>>;
  /**
   * Workloads of the namespaces in which the plan deletes objects that Pods can use.
   * Those of all namespaces are under "".
   */
  readonly users: FactsByNamespace<readonly KubeObject[]>;
  /**
   * Other live objects that can name deleted objects.
   * Objects that do so from outside the namespaces of the deleted objects are under `everywhere`.
   */
  readonly referrers: FactsByNamespace<readonly KubeObject[]>;
  /** The kinds that the API server serves now, if the plan creates or changes a definition. */
  readonly kinds: readonly ServedKindNames[];
  /** The objects that the deployment waits for as they are and that aren't ready now, by key. */
  readonly unready: ReadonlyMap<string, UnreadyObject>;
  /**
   * Live webhooks and policies, if the plan writes an object of a new kind.
   * Objects that qvs isn't allowed to read are missing.
   */
  readonly admissionObjects: readonly KubeObject[];
  /** The live objects under the names of declared owners, by key. */
  readonly owners: ReadonlyMap<string, ClusterFact<OwnerFact>>;
  /** The changed kinds that write a status and have no health rule, by `group/kind`. */
  readonly unruledKinds: ReadonlyMap<string, UnruledKind>;
  /** The unknown fields in the health rules of the user. */
  readonly healthRuleFaults: readonly HealthRuleFault[];
}

/** A field that a health rule of the user reads, and that the definition of its kind lacks. */
export interface HealthRuleFault {
  /** The key of a changed object of the kind. */
  readonly key: string;
  /** The name of the expression, such as `current`. */
  readonly expression: string;
  /** The field, such as `status.phse`. */
  readonly field: string;
  /** The name that the author probably meant. */
  readonly meant: string | undefined;
  /** The place of the rule, as in `HealthRule.source`. */
  readonly source: string;
}

/** A kind without a health rule, with one that a user can add. */
export interface UnruledKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The keys of the changed objects of this kind that show no state. */
  readonly keys: readonly string[];
  readonly rule: {
    readonly failed?: string | undefined;
    readonly current: string;
    /** The origin of the values in the rule. */
    readonly basis: "schema" | "guess" | "any status";
  };
}

/** A kind with its names, which no other kind of its group can have. */
export interface ServedKindNames {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names?: readonly string[];
}

/** A key that is used instead of a namespace. */
export const anyNamespace = "*";

export interface OwnerFact {
  readonly namespaced: boolean;
  /** The uid of the live object with that name; undefined if there is none. */
  readonly uid: string | undefined;
}

/**
 * The state of an object, judged by the rules of the deployment.
 * The deployment stops at once if an object has failed.
 */
export interface UnreadyObject {
  readonly state: "waiting" | "failed";
  readonly why: string;
  /**
   * The start of the state in the API server's time format; undefined if the object doesn't contain
   * it.
   */
  readonly since: string | undefined;
}

/** The nodes, the running Pods, and other facts that decide where Pods can run. */
export interface SchedulingFacts {
  readonly nodes: ObjectListFact;
  /** Pods of all namespaces. */
  readonly pods: ObjectListFact;
  /** ReplicaSets of the namespaces in which a workload rolls out. */
  readonly replicaSets: ObjectListFact;
  readonly namespaces: ObjectListFact;
  readonly priorityClasses: ObjectListFact;
  /** Claims of the namespaces in which Pods with claims roll out. */
  readonly claims: ObjectListFact;
  readonly volumes: ObjectListFact;
  readonly storageClasses: ObjectListFact;
  /** CSINodes, which contain how many volumes each driver can attach to a node. */
  readonly csiNodes: ObjectListFact;
  /** The component that adds nodes for pending Pods; undefined if none is known. */
  readonly autoscaler: string | undefined;
}

export type FactsByNamespace<T> = ReadonlyMap<string, ClusterFact<T>>;

export interface SampleClaim {
  readonly claim: KubeObject;
  readonly answer: ApiResult<KubeObject>;
}

export interface DependencyFact {
  readonly exists: boolean;
  /** Keys of the object's data; undefined if qvs doesn't check them. */
  readonly keys?: readonly string[] | undefined;
  /** The policy that a binding names, because it decides about requests. */
  readonly object?: KubeObject | undefined;
}

/** Returns the value of a fact; an empty list if it is unknown. */
export function knownValues<T>(fact: ClusterFact<readonly T[]>): readonly T[] {
  return fact.known ? fact.value : [];
}
