import type { Asker } from "./cluster/lock-run.ts";
import type { LayoutNode, Stage } from "./compilation.ts";
import type { JsonObject } from "./json.ts";
import type { KubeObject, ObjectId } from "./object.ts";
import type { Edge } from "./plan.ts";

export const releaseFormat = 1;
export const releaseSecretType = "vs.axis-dev.io/release.v1";

export type ReleaseStatus = "pending" | "succeeded" | "failed";

/** One deployment as recorded in the cluster (docs/concepts/releases.md#releases). */
export interface Release {
  readonly format: typeof releaseFormat;
  readonly deployment: string;
  /** Counts from 1, never reused. */
  readonly revision: number;
  readonly status: ReleaseStatus;
  /** Set when this release re-applies an older one. */
  readonly rollbackOf: number | undefined;
  /** Set when only this stage was deployed; what `expandedConfig` has of the other is what an earlier release applied. */
  readonly onlyStage?: Stage | undefined;
  readonly inputConfig: InputConfig;
  /** The manifests with what is needed to plan them again: what a rollback re-applies. */
  readonly expandedConfig: readonly ReleasedManifest[];
  readonly layout: LayoutNode;
  readonly source: ReleaseSource;
  /** Set where it was deployed although deployments were frozen. */
  readonly overrode?: OverriddenFreeze | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | undefined;
  /** Everything this deployment may have left in the cluster: last succeeded ∪ later pending/failed ∪ new. */
  readonly inventory: readonly InventoryEntry[];
  /** Per object what came of it, in the order of the plan; empty while pending. */
  readonly results: readonly ObjectResult[];
  /** The highest revisions of kept objects so far; undefined in old records. */
  readonly revisions?: readonly HighestRevision[] | undefined;
  /** The last run that found nothing to change while this release ran; undefined where there was none, and in old records. */
  readonly lastSeen?: SeenRun | undefined;
  /** undefined where nothing was ever corrected, and in old records. */
  readonly lastCorrected?: CorrectionRun | undefined;
  /** Set where the run gave way to a newer one. Its status is "failed", which older versions of this program know. */
  readonly superseded?: Asker | undefined;
  /** Set where somebody cancelled the run. Its status is "failed", for the same reason. */
  readonly cancelled?: true | undefined;
}

export function fromNewest<T extends Pick<Release, "revision">>(
  releases: readonly T[],
): readonly T[] {
  return releases.toSorted((a, b) => b.revision - a.revision);
}

export function newestOf<T extends Pick<Release, "revision">>(
  releases: readonly T[],
): T | undefined {
  return fromNewest(releases)[0];
}

/** What a deployment may have left in the cluster is in these, the newest first: the last that succeeded, and all after it. */
export function mayBeLive(releases: readonly Release[]): readonly Release[] {
  const newestFirst = fromNewest(releases);
  const succeeded = newestFirst.findIndex(({ status }) => status === "succeeded");
  return succeeded < 0 ? newestFirst : newestFirst.slice(0, succeeded + 1);
}

/** The last run that put right what others had changed of a release (docs/reference/drift.md#correction). */
export interface CorrectionRun {
  readonly actor?: string | undefined;
  readonly run?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly succeeded: boolean;
  /** What became of the objects that had drifted; of very many the first. */
  readonly results: readonly ObjectResult[];
}

/** A freeze that somebody named in order to deploy all the same. Its texts are from the cluster. */
export interface OverriddenFreeze {
  readonly id: string;
  readonly reason: string;
  readonly by: string | undefined;
  readonly until: string | undefined;
}

/** The last run that found everything as it should be, and how many such runs there were. */
export interface SeenRun extends Pick<ReleaseSource, "commit" | "actor" | "run" | "uncommitted"> {
  /** ISO 8601. */
  readonly at: string;
  /** How many runs have found nothing to change since the release; undefined in old records. */
  readonly runs?: number | undefined;
  /** Set where there were more: a run that did not count has noted itself before. */
  readonly orMore?: true | undefined;
}

/** How far the objects of one keepOnDelete key have been numbered: no number is given twice, whoever deletes what. */
export interface HighestRevision extends Omit<ObjectId, "name"> {
  readonly key: string;
  readonly revision: number;
}

/** What earlier releases know and the cluster can't tell. */
export interface History {
  readonly revisions: readonly HighestRevision[];
  /** The newest release that declared an object, by the key of the object. */
  readonly lastDeclared: ReadonlyMap<string, number>;
  /** The newest release of all; 0 without any. */
  readonly newest: number;
  /** What was sent of an object last, by its key; missing where that is not certain. */
  readonly sent: ReadonlyMap<string, KubeObject>;
  /** Where releases put values of Secrets into other objects, by the key of the object. */
  readonly secretPlaces: ReadonlyMap<string, readonly Place[]>;
  /** The same of those releases alone that may have written what is live now: the last that succeeded, and what came after it. */
  readonly newestSecretPlaces: ReadonlyMap<string, readonly Place[]>;
}

/** Fields by name; list items by their own name where they have one, since others may have put items before them. */
export type Place = readonly (string | ItemPlace)[];

interface ItemPlace {
  readonly index: number;
  readonly name: string | undefined;
}

export interface InputConfig {
  readonly config: string;
  readonly params: JsonObject;
  readonly modules: readonly { readonly name: string; readonly commit: string }[];
  /** Params whose values came from the command line, by their names; undefined in old records. */
  readonly inline?: readonly string[] | undefined;
  /** Params that the config handed to params of adapters that are called secrets; undefined in old records. */
  readonly secret?: readonly string[] | undefined;
}

export interface ReleasedManifest {
  readonly stage: Stage;
  readonly resource: string;
  readonly object: JsonObject;
  readonly dependsOn: readonly string[];
  /**
   * Set where texts of the object are references, by the rules of `$(ref.ID.PATH)`. They are recorded unresolved: an
   * address that the cluster gave then may be another one's by now, so a rollback resolves it again.
   */
  readonly references?: true | undefined;
}

export interface ReleaseSource {
  readonly commit: string | undefined;
  readonly actor: string | undefined;
  readonly run: string | undefined;
  /** Set where the work tree had changes that the commit does not have; undefined in old records. */
  readonly uncommitted?: true | undefined;
  /** Path of the remote `origin`, e.g. `acme/shop`; undefined where none is known, and in old records. */
  readonly repository?: string | undefined;
  /** Where what it did was approved, e.g. `#12`; undefined where nobody was asked, where it did something else, and in old records. */
  readonly approvedIn?: readonly string[] | undefined;
  /** The config that was compiled, relative to the repository's root; undefined in old records. */
  readonly config?: string | undefined;
}

/** One object that belongs to the deployment, with the edges to be obeyed when it is deleted. */
export interface InventoryEntry {
  readonly id: ObjectId;
  readonly apiVersion: string;
  readonly stage: Stage;
  readonly after: readonly Edge[];
  /** The keepOnDelete key that it was declared with: it stays protected even if the live annotation was lost. */
  readonly keepOnDelete?: string | undefined;
  readonly origin?: Origin | undefined;
}

/**
 * Whether this deployment has created an object or met it: then nothing recorded tells what it held before. A way back has left what it
 * met and does not declare. undefined in old records.
 */
export type Origin = (typeof origins)[number];

export const origins = ["created", "met", "left"] as const;

/** What leaves an object as its manifest says. */
export const asDeclared: ReadonlySet<string> = new Set<ObjectResult["outcome"]>([
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
  /** Set where somebody else created it after the plan was made, whatever came of it then. */
  readonly met?: true | undefined;
}

/** What a live object looks like to the planner: absent, or the object as read. */
export type LiveObjects = ReadonlyMap<string, KubeObject>;
