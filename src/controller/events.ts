/** The outcome of one check of a deployment. */
export type CheckOutcome =
  | { readonly type: "unchanged" }
  /** The drift was corrected. `objects` are the keys of the corrected objects. */
  | { readonly type: "corrected"; readonly objects: readonly string[] }
  /**
   * Another client changed an object during its correction. `objects` are the keys of the corrected
   * objects.
   */
  | { readonly type: "overtaken"; readonly objects: readonly string[]; readonly why: string }
  /** The newest release failed or hasn't ended, so the desired state is uncertain. */
  | { readonly type: "waiting"; readonly why: string }
  /** Another run holds the deployment lock. */
  | { readonly type: "locked"; readonly why: string }
  /** The API server is unreachable or overloaded. */
  | { readonly type: "unreachable"; readonly why: string }
  | { readonly type: "frozen"; readonly why: string }
  /** A user must act first. */
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "failed"; readonly why: string }
  /** The check was canceled. */
  | { readonly type: "stopped" };

/** An event of the controller, for its log and metrics. Both handle every event type. */
export type ControllerEvent =
  | { readonly type: "started"; readonly identity: string }
  /**
   * The namespaces whose releases the controller can watch, if it isn't allowed to watch all
   * namespaces.
   */
  | {
      readonly type: "namespaces";
      readonly watched: readonly string[];
      readonly skipped: readonly string[];
    }
  | { readonly type: "members"; readonly members: readonly string[] }
  | { readonly type: "lease-trouble"; readonly why: string }
  | { readonly type: "watch-trouble"; readonly of: string; readonly why: string }
  | { readonly type: "deployment-found" | "deployment-dropped"; readonly deployment: string }
  | {
      readonly type: "reconciled";
      readonly deployment: string;
      readonly outcome: CheckOutcome;
      readonly milliseconds: number;
      /** The delay before the next check without an event, in milliseconds. */
      readonly again: number;
    }
  | { readonly type: "stopping" }
  | { readonly type: "stopped" };
