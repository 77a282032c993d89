import type { Answer } from "../model/api-failure.ts";
import type { KubeObject } from "../model/object.ts";

/** What could be read of the cluster, or why not: completes the sentence "… can't be read: …". */
export type Fact<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

/** What of the cluster decides how a plan ends, besides the objects of the plan. Only what the plan makes interesting is read. */
export interface ClusterFacts {
  readonly nodes: Fact<readonly KubeObject[]>;
  /** Of all namespaces, those that have ended left out. */
  readonly pods: Fact<readonly KubeObject[]>;
  /** Of the namespaces in which something is rolled out. */
  readonly replicaSets: Fact<readonly KubeObject[]>;
  /** What the server said to one Pod of each changed template, by the key of its change. */
  readonly samplePods: ReadonlyMap<string, Answer<KubeObject>>;
  /** ResourceQuotas of the namespaces that are written to. */
  readonly quotas: FactsByNamespace<readonly KubeObject[]>;
  /** What Pod templates name and the plan does not declare, by key. */
  readonly dependencies: ReadonlyMap<string, Fact<DependencyFact>>;
  /** Live objects that may name what is deleted. */
  readonly namers: FactsByNamespace<readonly KubeObject[]>;
}

export type FactsByNamespace<T> = ReadonlyMap<string, Fact<T>>;

export interface DependencyFact {
  readonly exists: boolean;
  /** Of its data; undefined where they are not looked at. */
  readonly keys?: readonly string[] | undefined;
}
