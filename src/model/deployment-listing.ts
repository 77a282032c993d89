import type { Deployment } from "./deployment.ts";

/**
 * The entry of a deployment in the newest commit of a branch, as the Git host has the branch now.
 */
export type DeploymentListing =
  | {
      readonly type: "listed";
      readonly commit: string;
      /**
       * The list in another directory that contains the deployment. Undefined if its own list
       * contains it.
       */
      readonly otherList: string | undefined;
    }
  | { readonly type: "not listed"; readonly commit: string }
  | UnknownReason;

/**
 * The reason why a listing is unknown, and the fix. Both are parts of a sentence without a period.
 */
export interface UnknownReason {
  readonly type: "unknown";
  readonly why: string;
  readonly fix: string;
}

/** Reads the entry of a deployment in the newest commit of the branch, on each call. */
export type ListingLookup = (deployment: Deployment) => Promise<DeploymentListing>;
