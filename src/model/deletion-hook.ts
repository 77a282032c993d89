import type { JsonObject } from "./json.ts";

/** The events of Helm at which hooks of a deletion run. */
export const deletionEvents = ["pre-delete", "post-delete"] as const;
export type DeletionEvent = (typeof deletionEvents)[number];

/**
 * The annotation in the Pod template of a hook Job: the event and the release whose deletion it
 * belongs to, such as `pre-delete of release 3`. A Job that ran for an earlier release runs again.
 * Only qvs writes it.
 */
export const hookEventAnnotation = "vs.axis-dev.io/hook";

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
