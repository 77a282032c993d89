import type { Challenger } from "../cluster/deployment-lock.ts";
import type { HealthRule } from "../health-rule.ts";
import type { JsonObject } from "../json.ts";
import type { KubeObject, ObjectId } from "../object.ts";
import type { DeletionHook } from "../plan/deletion.ts";
import type { Edge } from "../plan/plan.ts";
import type { RecordedRollout } from "../plan/predictions.ts";
import type { LayoutNode, Stage } from "../sources/compilation.ts";
import type { DeploymentCheck, PassedCheck } from "./deployment-checks.ts";
import type { PreviewEnvironment } from "./preview-environment.ts";

export const releaseFormat = 1;
export const releaseSecretType = "vs.axis-dev.io/release.v1";

export type ReleaseStatus = "pending" | "succeeded" | "failed";

/** The record of one deployment in the cluster (docs/concepts/releases.md#releases). */
export interface Release {
  readonly format: typeof releaseFormat;
  readonly deployment: string;
  /** Starts at 1; numbers are never reused. */
  readonly revision: number;
  readonly status: ReleaseStatus;
  /** The revision of the older release that this release applies again. */
  readonly rollbackOf: number | undefined;
  /**
   * Set if qvs deployed only this stage. The objects of the other stage in `expandedConfig` are
   * those of an earlier release.
   */
  readonly onlyStage?: Stage | undefined;
  readonly inputConfig: InputConfig;
  /** The manifests, with the data that a rollback needs to plan them again. */
  readonly expandedConfig: readonly ReleasedManifest[];
  readonly layout: LayoutNode;
  /** The checks, which a rollback runs again. Undefined if there are none, and in old records. */
  readonly checks?: readonly DeploymentCheck[] | undefined;
  /**
   * The hooks that a deletion runs, in their order. Undefined if there are none, and in old
   * records.
   */
  readonly deletionHooks?: readonly DeletionHook[] | undefined;
  readonly source: ReleaseSource;
  /** Set if the deployment is the environment of a pull request. */
  readonly environment?: PreviewEnvironment | undefined;
  /** Set if a user deployed the release in spite of a freeze. */
  readonly overrode?: OverriddenFreeze | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | undefined;
  /**
   * All objects that this deployment might have left in the cluster: last succeeded ∪ later
   * pending/failed ∪ new.
   */
  readonly inventory: readonly InventoryEntry[];
  /** The result for each object, in plan order; empty while the release is pending. */
  readonly results: readonly ObjectResult[];
  /**
   * The checks that passed in the run of the release. Undefined if none did, and in old records.
   */
  readonly passedChecks?: readonly PassedCheck[] | undefined;
  /**
   * The forecasts of the rollouts that replaced Pods, with the observed rollouts. Undefined if
   * there were none, and in old records.
   */
  readonly rollouts?: readonly RecordedRollout[] | undefined;
  /** The highest revisions of kept objects so far; undefined in old records. */
  readonly revisions?: readonly HighestRevision[] | undefined;
  /**
   * The last run that found nothing to change while this release was the current one. Undefined if
   * there was none, and in old records.
   */
  readonly lastSeen?: UnchangedRun | undefined;
  /** Undefined if qvs never corrected drift of the release, and in old records. */
  readonly lastCorrected?: CorrectionRun | undefined;
  /**
   * Set if a newer run superseded this one. The status is "failed", which older versions of qvs
   * know.
   */
  readonly superseded?: Challenger | undefined;
  /** Set if a user canceled the run. The status is "failed", for the same reason. */
  readonly cancelled?: true | undefined;
}

/** The last run that corrected drift of a release (docs/reference/drift.md#correction). */
export interface CorrectionRun {
  readonly actor?: string | undefined;
  readonly run?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly succeeded: boolean;
  /** The results for the objects that had drifted. If there are very many, only the first ones. */
  readonly results: readonly ObjectResult[];
}

/** A freeze that a user named in order to deploy anyway. Its strings are from the cluster. */
export interface OverriddenFreeze {
  readonly id: string;
  readonly reason: string;
  readonly by: string | undefined;
  readonly until: string | undefined;
}

/** The last run that found nothing to change, and the number of such runs. */
export interface UnchangedRun
  extends Pick<ReleaseSource, "commit" | "actor" | "run" | "uncommitted"> {
  /** ISO 8601. */
  readonly at: string;
  /**
   * The number of runs that found nothing to change since the release; undefined in old records.
   */
  readonly runs?: number | undefined;
  /** Set if the number is a minimum, because an earlier run recorded itself without counting. */
  readonly orMore?: true | undefined;
}

/**
 * The highest number that qvs gave to an object of one `keepOnDelete` key. No number is given
 * twice, even if a user deletes objects.
 */
export interface HighestRevision extends Omit<ObjectId, "name"> {
  readonly key: string;
  readonly revision: number;
}

/** The facts that earlier releases record and the cluster doesn't. */
export interface History {
  readonly revisions: readonly HighestRevision[];
  /** The newest release that declared an object, by the key of the object. */
  readonly lastDeclared: ReadonlyMap<string, number>;
  /** The newest of all releases; 0 if there is none. */
  readonly newest: number;
  /** The object as qvs sent it last, by its key; missing if that is uncertain. */
  readonly sent: ReadonlyMap<string, KubeObject>;
  /** The manifest of each Job that certainly completed with it last, by its key. */
  readonly completedJobs: ReadonlyMap<string, KubeObject>;
  /**
   * The places where releases put values of Secrets into other objects, by the key of the object.
   */
  readonly secretPlaces: ReadonlyMap<string, readonly RecordedPath[]>;
  /**
   * The same places, but only from releases that might have written the live objects: the last one
   * that succeeded, and all later ones.
   */
  readonly newestSecretPlaces: ReadonlyMap<string, readonly RecordedPath[]>;
}

/**
 * A path: fields by name, and list items by their own name if they have one, because another tool
 * might have inserted items before them.
 */
export type RecordedPath = readonly (string | NamedItem)[];

interface NamedItem {
  readonly index: number;
  readonly name: string | undefined;
}

export interface InputConfig {
  readonly config: string;
  readonly params: JsonObject;
  readonly modules: readonly { readonly name: string; readonly commit: string }[];
  /** The names of the params whose values came from the command line; undefined in old records. */
  readonly inline?: readonly string[] | undefined;
  /**
   * The names of the params that the config passes to sensitive params of adapters; undefined in
   * old records.
   */
  readonly secret?: readonly string[] | undefined;
  /** The health rules of the config and its adapters; undefined if there is none. */
  readonly health?: readonly HealthRule[] | undefined;
}

export interface ReleasedManifest {
  readonly stage: Stage;
  readonly resource: string;
  readonly object: JsonObject;
  readonly dependsOn: readonly string[];
  /**
   * Set if strings of the object are references, by the rules of `$(ref.ID.PATH)`. qvs records them
   * unresolved, because another object might have a recorded address later. A rollback resolves
   * them again.
   */
  readonly references?: true | undefined;
}

export interface ReleaseSource {
  readonly commit: string | undefined;
  readonly actor: string | undefined;
  readonly run: string | undefined;
  /** Set if the working tree had changes that the commit doesn't have; undefined in old records. */
  readonly uncommitted?: true | undefined;
  /**
   * The path of the remote `origin`, e.g. `acme/shop`; undefined if it is unknown, and in old
   * records.
   */
  readonly repository?: string | undefined;
  /**
   * The places of the approvals, e.g. `#12`. Undefined if no approval was required, if the run did
   * something else, and in old records.
   */
  readonly approvedIn?: readonly string[] | undefined;
  /** The compiled config, relative to the root of the repository; undefined in old records. */
  readonly config?: string | undefined;
}

/** One object of the deployment, with the edges that its deletion must follow. */
export interface InventoryEntry {
  readonly id: ObjectId;
  readonly apiVersion: string;
  readonly stage: Stage;
  readonly after: readonly Edge[];
  /**
   * The `keepOnDelete` key in the manifest. It protects the object even if the live annotation is
   * lost.
   */
  readonly keepOnDelete?: string | undefined;
  readonly origin?: ObjectOrigin | undefined;
}

/**
 * The origin of an object. `created`: this deployment created it. `met`: this deployment adopted
 * it, and no record contains its earlier content. `left`: a rollback left an adopted object in the
 * cluster without declaring it. Undefined in old records.
 */
export type ObjectOrigin = (typeof objectOrigins)[number];

export const objectOrigins = ["created", "met", "left"] as const;

/** The outcomes that leave an object as its manifest declares it. */
export const appliedOutcomes: ReadonlySet<string> = new Set<ObjectResult["outcome"]>([
  "created",
  "updated",
  "replaced",
  "unchanged",
]);

export interface ObjectResult {
  readonly key: string;
  readonly outcome:
    | "created"
    | "updated"
    | "replaced"
    | "unchanged"
    | "deleted"
    | "kept"
    | "failed"
    | "not attempted";
  readonly detail: string;
  /** Set if another user or tool created the object after planning, whatever the outcome was. */
  readonly met?: true | undefined;
}

/** The live objects by key, as qvs read them. An object without an entry doesn't exist. */
export type LiveObjects = ReadonlyMap<string, KubeObject>;
