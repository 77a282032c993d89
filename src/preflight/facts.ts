import type { KubeObject } from "../model/object.ts";

/** What could be read of the cluster, or why not. */
export type Fact<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

type Objects = Fact<readonly KubeObject[]>;

/** What of the cluster decides how a plan ends, besides the objects of the plan. Only what the plan makes interesting is read. */
export interface ClusterFacts {
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
  /** What adds nodes where Pods find no place; undefined where nothing is known to. */
  readonly autoscaler: string | undefined;
}

/** What is known of a fact, or nothing. */
export function knownOf<T>(fact: Fact<readonly T[]>): readonly T[] {
  return fact.known ? fact.value : [];
}
