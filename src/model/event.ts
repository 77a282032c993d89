import type { Stage } from "./compilation.ts";
import type { ChangeAction } from "./plan.ts";

/** The events of a deployment, for those parts that show it. Closed: a new state is a new case everywhere. */
export type DeployEvent =
  /** What is done before there is a plan, or instead of one. */
  | { readonly type: "preparing"; readonly step: "compiling" | "planning" | "watching" }
  | {
      readonly type: "planned";
      readonly upserts: number;
      readonly deletions: number;
      readonly unchanged: number;
    }
  | { readonly type: "lock-waiting"; readonly holder: string }
  /** The holder was asked to stop waiting for its rollout, since this run is newer. */
  | { readonly type: "lock-asked"; readonly holder: string }
  /** It could not be given back when everything was done: the next run has to wait until it expires. */
  | { readonly type: "lock-kept"; readonly why: string }
  | { readonly type: "recorded"; readonly revision: number }
  | { readonly type: "stage-started"; readonly stage: Stage }
  | {
      readonly type: "applying";
      readonly key: string;
      readonly action: ChangeAction;
      /** Whose fields are taken over with it; undefined for nobody's. */
      readonly transfers?: readonly string[] | undefined;
    }
  | { readonly type: "applied"; readonly key: string; readonly action: ChangeAction }
  | {
      readonly type: "waiting";
      readonly key: string;
      readonly why: string;
      /** The cluster complains, so that time alone may not help. */
      readonly isTrouble?: boolean;
    }
  | { readonly type: "ready"; readonly key: string; readonly notice: string | undefined }
  | { readonly type: "failed"; readonly key: string; readonly why: string }
  | { readonly type: "deleting"; readonly key: string }
  | { readonly type: "deleted"; readonly key: string }
  | { readonly type: "kept"; readonly key: string; readonly why: string }
  /** A newer run asks for the lock; requests in progress are still finished. `by` is text from elsewhere. */
  | { readonly type: "giving-way"; readonly by: string }
  /** Somebody asked for it. `to` is the release in words. */
  | { readonly type: "rolling-back"; readonly revision: number; readonly to: string }
  /** The deployment has failed, and the release that worked before is applied again. */
  | { readonly type: "going-back"; readonly to: number }
  /** The run was asked to stop; requests in progress are still finished. */
  | { readonly type: "stopping" }
  | {
      readonly type: "finished";
      readonly ending: "succeeded" | "failed" | "cancelled" | "superseded";
    };
