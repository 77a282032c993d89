import type { User } from "../../support/cluster/users.ts";

/** A change, and its rollback as it must be predicted and happen. */
export interface UndoCase {
  readonly what: string;
  /** The manifests before and after the change. `NAME` is unique for the case. */
  readonly before: string;
  readonly after: string;
  /** Manifests that another user applies with kubectl before the first deployment. */
  readonly existing?: string;
  /** Manifests that another user applies with kubectl after the first deployment. */
  readonly others?: string;
  /** The user who deploys and rolls back; by default, one with all permissions. */
  readonly user?: User;
  /** True if the identity that previews also deploys, so that its permissions count. */
  readonly previewsItself?: true;
  /** The flags of the deployment that makes the change. */
  readonly flags?: readonly string[];
  readonly expected: {
    /** Undefined if the rollback must not be predicted. */
    readonly possible: boolean | undefined;
    readonly needs?: readonly string[];
    /** Words in the lost parts, the reasons and the other effects. */
    readonly lost?: readonly string[];
    readonly reasons?: readonly string[];
    readonly notes?: readonly string[];
  };
  /** Commands of kubectl that another user runs before the change. */
  readonly meanwhile?: readonly (readonly string[])[];
}
