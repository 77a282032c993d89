import type { HealthRule } from "../health-rule.ts";
import type { KubeObject, ObjectId } from "../object.ts";
import type { KeepDetails } from "../plan/deletion.ts";
import type { Problem } from "../problems/problem.ts";
import type { Stage } from "../sources/compilation.ts";
import type { Drift } from "./drift.ts";
import type { ObjectResult, UnchangedRun } from "./release.ts";

/**
 * The answers to queries over release records. Strings from records and from the cluster are
 * untrusted text.
 */

/** A release in a list of releases. */
export interface ReleaseSummary {
  readonly revision: number;
  /** `never ended`: the run was killed. `under way`: the run still holds the deployment lock. */
  readonly status:
    | "succeeded"
    | "failed"
    | "cancelled"
    | "superseded"
    | "under way"
    | "never ended";
  /**
   * True for the newest release that succeeded. If a later release failed, it might have replaced
   * some of the objects.
   */
  readonly isRunning: boolean;
  readonly rollbackOf: number | undefined;
  readonly onlyStage: Stage | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | undefined;
  readonly commit: string | undefined;
  readonly uncommitted: boolean;
  readonly actor: string | undefined;
  readonly run: string | undefined;
  /**
   * The results for the objects that the release changed, in plan order. Empty if no run recorded
   * them.
   */
  readonly changed: readonly ObjectResult[];
  readonly unchanged: number;
  /** The number of objects that the release declares. */
  readonly declared: number;
  /** The last run that found nothing to change while this release was the current one. */
  readonly lastSeen: UnchangedRun | undefined;
  /** The freeze that a user overrode to deploy the release. */
  readonly overrodeFreeze: string | undefined;
}

/** One object that a deployment can have in the cluster, according to its records. */
export interface InventoryObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly apiVersion: string;
  readonly stage: Stage;
  /** The release that declares it. Undefined if the object is kept, or if a failed run left it. */
  readonly release: number | undefined;
  /** The resource in the layout, e.g. `app/web`; undefined if no release declares the object. */
  readonly resource: string | undefined;
  /** The paths from the config to each adapter that contributed to the object, outermost first. */
  readonly paths: readonly (readonly string[])[];
  /** The keepOnDelete key. */
  readonly keepOnDelete: string | undefined;
  /**
   * True if a release with the object succeeded, so the object completed its work. Its absence is
   * then expected.
   */
  readonly isDoneWhenAbsent?: boolean;
  /**
   * True if its manifest declares that it is suspended; undefined if no release declares the
   * object.
   */
  readonly suspends?: boolean;
  /** The health rules of its release. */
  readonly healthRules?: readonly HealthRule[] | undefined;
}

/** The state of a recorded object in the cluster. */
export interface LiveState {
  readonly state: "ready" | "waiting" | "failed" | "suspended" | "missing" | "unknown";
  /**
   * The condition that it waits for, or the cause of a failed or unknown state. Empty if there is
   * nothing to report.
   */
  readonly why: string;
  /** The live object. It contains only metadata if its state doesn't depend on other fields. */
  readonly live: KubeObject | undefined;
}

export interface DeployedObject extends InventoryObject, LiveState {
  readonly isHealthy: boolean;
}

/** The details of an object that a `keepOnDelete` key protects. */
export interface KeptObjectDetails extends Omit<KeepDetails, "since"> {
  /** ISO 8601. */
  readonly created: string | undefined;
}

/** The holder of a deployment lock. */
export interface LockState {
  /** A run URL, or user@host. */
  readonly holder: string;
  /** ISO 8601; undefined if the Lease doesn't contain it. */
  readonly since: string | undefined;
  /**
   * True if the holder renewed the lock in time. The lock of a dead run remains until the next run
   * has waited for its expiry.
   */
  readonly isAlive: boolean;
}

/** The present state of a deployment. */
export interface DeploymentState {
  readonly name: string;
  /** The namespace of the release records. */
  readonly namespace: string;
  /** The newest release that succeeded and all later ones, newest first. */
  readonly releases: readonly ReleaseSummary[];
  /** The number of recorded releases. */
  readonly recorded: number;
  readonly instances: readonly DeployedObject[];
  /** Undefined if no run holds the lock. */
  readonly lock: LockState | undefined;
  /** The errors that prevent qvs from reading the records. Nothing else is known then. */
  readonly problems: readonly Problem[];
  /** The comparison with the current release; undefined if the caller didn't request it. */
  readonly drift?: Drift | undefined;
}

/** Reports whether a deployment has a current release, and all its objects are healthy. */
export function isHealthyDeployment({ releases, instances, problems }: DeploymentState): boolean {
  const runs = releases.some(({ isRunning }) => isRunning);
  return runs && problems.length === 0 && instances.every(({ isHealthy }) => isHealthy);
}

/** One owner of an object's fields, from `metadata.managedFields`. */
export interface FieldOwner {
  readonly manager: string;
  /** `Apply`, or `Update` for all other operations. */
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** RFC 3339; empty if the API server records no time. */
  readonly time: string;
}

/** A field or a list item of an object, with the owned fields below it. */
export interface OwnedField {
  /** The notation for users: `.spec`, `[name="web"]`. */
  readonly step: string;
  /** True for a list item. `step` then shows the content that identifies it. */
  readonly isItem: boolean;
  /** The owners of the field as a whole; empty if the field only leads to owned fields. */
  readonly owners: readonly FieldOwner[];
  readonly fields: readonly OwnedField[];
}
