import type { Stage } from "./compilation.ts";
import type { ChangeAction } from "./plan.ts";

/** What happens during a deployment, for whoever shows it. Closed: a new state is a new case everywhere. */
export type DeployEvent =
  /** What is done before there is a plan. */
  | { readonly type: "preparing"; readonly step: "compiling" | "planning" }
  | {
      readonly type: "planned";
      readonly upserts: number;
      readonly deletions: number;
      readonly unchanged: number;
    }
  | { readonly type: "lock-waiting"; readonly holder: string }
  | { readonly type: "recorded"; readonly revision: number }
  | { readonly type: "stage-started"; readonly stage: Stage }
  | {
      readonly type: "applying";
      readonly key: string;
      readonly action: ChangeAction;
      /** Whose fields are taken over with it; undefined for nobody's. */
      readonly adopts?: readonly string[] | undefined;
    }
  | { readonly type: "applied"; readonly key: string; readonly action: ChangeAction }
  | { readonly type: "waiting"; readonly key: string; readonly why: string }
  | { readonly type: "ready"; readonly key: string; readonly notice: string | undefined }
  | { readonly type: "failed"; readonly key: string; readonly why: string }
  | { readonly type: "deleting"; readonly key: string }
  | { readonly type: "deleted"; readonly key: string }
  | { readonly type: "kept"; readonly key: string; readonly why: string }
  /** Somebody wants the run to end; what is under way is still finished. */
  | { readonly type: "stopping" }
  | { readonly type: "finished"; readonly ending: "succeeded" | "failed" | "cancelled" };
