import type { Stage } from "./compilation.ts";
import type { Keeping } from "./deletion.ts";
import type { Drift } from "./drift.ts";
import type { KubeObject, ObjectId } from "./object.ts";
import type { Problem } from "./problems/problem.ts";
import type { ObjectResult, SeenRun } from "./release.ts";

/** What queries over the records answer. Texts of records and of the cluster are text from elsewhere. */

/** A release as a list of releases tells it. */
export interface ReleaseSummary {
  readonly revision: number;
  /** `never ended` is a run that was killed; `under way` one that still holds the lock. */
  readonly status:
    | "succeeded"
    | "failed"
    | "cancelled"
    | "superseded"
    | "under way"
    | "never ended";
  /** Whether it is the newest that succeeded: what runs, as far as no later one has failed on the way. */
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
  /** What it did to objects, in the order of its plan, without what stayed as it was. Empty where no run has said so. */
  readonly changed: readonly ObjectResult[];
  readonly unchanged: number;
  /** How many objects it declares. */
  readonly declared: number;
  /** The last run that found nothing to change while it ran. */
  readonly lastSeen: SeenRun | undefined;
  /** The freeze that it was deployed in spite of. */
  readonly overrodeFreeze: string | undefined;
}

/** One object that a deployment may have in the cluster, as its records tell. */
export interface RecordedInstance {
  readonly key: string;
  readonly id: ObjectId;
  readonly apiVersion: string;
  readonly stage: Stage;
  /** The release that declares it; undefined for what is kept, or was left by a run that failed. */
  readonly release: number | undefined;
  /** Of the layout, e.g. `app/web`; undefined where nothing declares it. */
  readonly resource: string | undefined;
  /** The ways from the config down to each adapter that contributed to it, outermost first. */
  readonly paths: readonly (readonly string[])[];
  /** The keepOnDelete key. */
  readonly keepOnDelete: string | undefined;
  /** A release with it has succeeded, so it has done its work: that it is absent is as it should be. */
  readonly isDoneWhenAbsent?: boolean;
  /** Its manifest declares that it is suspended; undefined where nothing declares it. */
  readonly suspends?: boolean;
}

/** How an object that is recorded stands in the cluster. */
export interface InstanceState {
  readonly state: "ready" | "waiting" | "failed" | "suspended" | "missing" | "unknown";
  /** What it waits for, or why it failed or isn't known; empty where there is nothing to say. */
  readonly why: string;
  /** What the cluster holds; metadata only where nothing else is needed to know how it is. */
  readonly live: KubeObject | undefined;
}

export interface Instance extends RecordedInstance, InstanceState {
  readonly isHealthy: boolean;
}

/** What is known of an object that a keepOnDelete key protects. */
export interface KeptInstance extends Omit<Keeping, "since"> {
  /** ISO 8601. */
  readonly created: string | undefined;
}

/** Who holds the lock of a deployment. */
export interface LockState {
  /** A run URL, or user@host. */
  readonly holder: string;
  /** ISO 8601; undefined where the Lease doesn't say. */
  readonly since: string | undefined;
  /** Whether it was renewed in time. A run that died leaves its lock until the next one has waited for it to expire. */
  readonly isAlive: boolean;
}

/** A deployment as it is now. */
export interface DeploymentState {
  readonly name: string;
  /** Of its records. */
  readonly namespace: string;
  /** From the newest that succeeded on, newest first. */
  readonly releases: readonly ReleaseSummary[];
  /** How many releases are recorded. */
  readonly recorded: number;
  readonly instances: readonly Instance[];
  /** undefined where nobody holds it. */
  readonly lock: LockState | undefined;
  /** Why its records can't be read; nothing is known of it then. */
  readonly problems: readonly Problem[];
  /** How it compares with its running release; undefined where nobody has asked for that. */
  readonly drift?: Drift | undefined;
}

/** Whether a release runs, and all that it declares is as it should be. */
export function isHealthyDeployment({ releases, instances, problems }: DeploymentState): boolean {
  const runs = releases.some(({ isRunning }) => isRunning);
  return runs && problems.length === 0 && instances.every(({ isHealthy }) => isHealthy);
}

/** Who owns fields of an object, by `metadata.managedFields`. */
export interface FieldOwner {
  readonly manager: string;
  /** Apply, or Update for everything else. */
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** RFC 3339; empty when the server does not say. */
  readonly time: string;
}

/** A field or a list item of an object, and what is owned below it. */
export interface OwnedField {
  /** As people write it: `.spec`, `[name="web"]`. */
  readonly step: string;
  /** Of a list: then `step` says what the item holds. */
  readonly isItem: boolean;
  /** Who owns it as a whole; of what only leads to owned fields nobody. */
  readonly owners: readonly FieldOwner[];
  readonly fields: readonly OwnedField[];
}
