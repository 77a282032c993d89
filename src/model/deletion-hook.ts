import type { JsonObject } from "./json.ts";

/** The events of Helm at which hooks of a deletion run. */
export const deletionEvents = ["pre-delete", "post-delete"] as const;
export type DeletionEvent = (typeof deletionEvents)[number];

/**
 * The annotation with the event of a deletion, in the Pod template of a hook Job. It distinguishes
 * the Job from one of the same name that ran at another event. Only qvs writes it.
 */
export const hookEventAnnotation = "vs.axis-dev.io/hook";

/** The place of a hook in a deletion. */
export interface HookRule {
  /** `pre-delete`: before anything is deleted. `post-delete`: after everything is deleted. */
  readonly event: DeletionEvent;
  /** Set if qvs deletes the hook even if it failed. It deletes every hook that succeeded. */
  readonly deletesFailed?: true | undefined;
}

/** A hook of a chart that runs when the deployment is deleted. Only the record contains it. */
export interface DeletionHook extends HookRule {
  readonly object: JsonObject;
  /** Set if the deployment contains an object of the same hook, for another event. */
  readonly isDeployed?: true | undefined;
}
