/**
 * One QVS config with its params, aimed at one place (docs/reference/deployments-yaml.md). Paths are relative to the
 * repository's root.
 */
export interface Deployment {
  /** DNS label: releases, field managers, the lock and the comment go by it. */
  readonly name: string;
  /** Empty for one that is only known by its records. */
  readonly config: string;
  /** Params files; later ones win. */
  readonly params: readonly string[];
  readonly environment: string | undefined;
  /** kubeconfig context. */
  readonly context: string | undefined;
  /** For objects without one, and for release records. */
  readonly namespace: string;
  readonly dependsOn: readonly string[];
  /** What becomes of what it has deployed once its entry is removed; undefined keeps it. */
  readonly onRemoved?: OnRemoved | undefined;
}

export const onRemovedValues = ["keep", "delete"] as const;
export type OnRemoved = (typeof onRemovedValues)[number];
