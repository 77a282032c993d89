import type { TypeMeta } from "../object.ts";

/**
 * The minor versions of Kubernetes 1 in which a built-in kind of one API version begins and ends,
 * from the Go types in k8s.io/api.
 */
export interface ApiLifecycle {
  /** The first minor version that serves it; undefined if the types don't contain it. */
  readonly introduced?: number;
  /** The first minor version in which the API server warns about it. */
  readonly deprecated?: number;
  /** The first minor version that no longer serves it. It can be later than the known ones. */
  readonly removed?: number;
  readonly replacement?: TypeMeta;
}

/** Lifecycles by keys such as `policy/v1beta1/PodDisruptionBudget`. */
export type ApiLifecycles = Readonly<Record<string, ApiLifecycle>>;
