import type { Answer } from "../model/cluster/api-failure.ts";
import type { EarlierChange, EarlierDeletion } from "../model/earlier.ts";
import type { KubeObject } from "../model/object.ts";

/** What could be read of the cluster, or why not: completes the sentence "… can't be read: …". */
export type Fact<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

type Objects = Fact<readonly KubeObject[]>;

/** What of the cluster decides how a plan ends, besides the objects of the plan. Only what the plan makes interesting is read. */
export interface ClusterFacts extends SchedulingFacts {
  /** What the server said to one Pod of each changed template, by the key of its change. */
  readonly samplePods: ReadonlyMap<string, Answer<KubeObject>>;
  /** The same of one claim of each template that a change makes claims of. */
  readonly sampleClaims: ReadonlyMap<string, readonly SampleClaim[]>;
  /** What deployments that go first will have made or changed. */
  readonly earlier: readonly EarlierChange[];
  /** What they delete. */
  readonly earlierDeleted: readonly EarlierDeletion[];
  /** ResourceQuotas of the namespaces that are written to. */
  readonly quotas: FactsByNamespace<readonly KubeObject[]>;
  /** What Pod templates name and the plan does not declare, by key. */
  readonly dependencies: ReadonlyMap<string, Fact<DependencyFact>>;
  /** Workloads of the namespaces in which something is deleted that Pods may use; under "" those of all. */
  readonly users: FactsByNamespace<readonly KubeObject[]>;
  /** Other live objects that may name what is deleted; those that do so from outside of namespaces are under `everywhere`. */
  readonly namers: FactsByNamespace<readonly KubeObject[]>;
  /** What the server serves now, where a definition comes or changes. */
  readonly kinds: readonly ServedKind[];
  /** What the deployment waits for, doesn't begin anew, and isn't ready now, by key. */
  readonly unready: ReadonlyMap<string, Unready>;
  /** Webhooks and policies that are there, where something of a kind that comes is written; what may not be read is missing. */
  readonly admission: readonly KubeObject[];
  /** What there is under the names of declared owners, by key. */
  readonly owners: ReadonlyMap<string, Fact<OwnerFact>>;
}

/** A kind by the names that no other one of its group may have. */
export interface ServedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names?: readonly string[];
}

/** In place of a namespace. */
export const everywhere = "*";

export interface OwnerFact {
  readonly namespaced: boolean;
  /** Of what has that name; undefined where nothing has. */
  readonly uid: string | undefined;
}

/** Judged as the deployment will judge it, which ends at once where it has failed. */
export interface Unready {
  readonly state: "waiting" | "failed";
  readonly why: string;
  /** In the format of the API server; undefined where the object does not say. */
  readonly since: string | undefined;
}

/** Where Pods may run, and what runs there. */
export interface SchedulingFacts {
  readonly nodes: Objects;
  /** Of all namespaces. */
  readonly pods: Objects;
  /** Of the namespaces in which something is rolled out. */
  readonly replicaSets: Objects;
  readonly namespaces: Objects;
  readonly priorityClasses: Objects;
  /** Claims of the namespaces in which Pods with claims are rolled out. */
  readonly claims: Objects;
  readonly volumes: Objects;
  readonly storageClasses: Objects;
  /** How many volumes each driver attaches to a node. */
  readonly csiNodes: Objects;
  /** What adds nodes where Pods find no place; undefined where nothing is known to. */
  readonly autoscaler: string | undefined;
}

export type FactsByNamespace<T> = ReadonlyMap<string, Fact<T>>;

export interface SampleClaim {
  readonly claim: KubeObject;
  readonly answer: Answer<KubeObject>;
}

export interface DependencyFact {
  readonly exists: boolean;
  /** Of its data; undefined where they are not looked at. */
  readonly keys?: readonly string[] | undefined;
  /** Of a policy that a binding names: it decides. */
  readonly object?: KubeObject | undefined;
}

/** What is known of a fact, or nothing. */
export function knownOf<T>(fact: Fact<readonly T[]>): readonly T[] {
  return fact.known ? fact.value : [];
}
