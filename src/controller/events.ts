/** What came of one look at a deployment. */
export type Outcome =
  | { readonly type: "unchanged" }
  /** With the keys of what was put right. */
  | { readonly type: "corrected"; readonly objects: readonly string[] }
  /** Somebody changed an object while it was put right. With the keys of those that were put right all the same. */
  | { readonly type: "overtaken"; readonly objects: readonly string[]; readonly why: string }
  /** Its newest release has not ended, or has failed: what should be there is not certain. */
  | { readonly type: "waiting"; readonly why: string }
  /** Another run holds the lock of the deployment. */
  | { readonly type: "locked"; readonly why: string }
  /** The API server is away, or overloaded. */
  | { readonly type: "unreachable"; readonly why: string }
  | { readonly type: "frozen"; readonly why: string }
  /** Somebody has to do something first. */
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "failed"; readonly why: string }
  /** It was asked to stop. */
  | { readonly type: "stopped" };

/** What happens in the controller, for its log and its metrics. Closed: a new event is a new case in both. */
export type ControllerEvent =
  | { readonly type: "started"; readonly identity: string }
  /** All namespaces were meant, and these are the ones whose releases it may watch. */
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
      readonly outcome: Outcome;
      readonly milliseconds: number;
      /** When it is looked at again without an event, in milliseconds. */
      readonly again: number;
    }
  | { readonly type: "stopping" }
  | { readonly type: "stopped" };
