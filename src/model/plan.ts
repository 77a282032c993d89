import type { Clearing } from "./clearing.ts";
import type { Stage } from "./compilation.ts";
import type { PathStep } from "./ignore-paths.ts";
import type { JsonObject } from "./json.ts";
import type { KeptSecret, LateText } from "./late-text.ts";
import type { KubeObject, ObjectId } from "./object.ts";
import type { Problem } from "./problem.ts";
import type { HighestRevision } from "./release.ts";

/** Everything that a deployment will do, as plain data: it can be printed, stored, compared. `apply` obeys it. */
export interface Plan {
  readonly deployment: string;
  /** Set when only this stage is deployed: nothing of the other one is written or deleted. */
  readonly onlyStage?: Stage | undefined;
  /** In deploy order: by stage, then so that nothing comes before what it depends on; ties by key. */
  readonly changes: readonly Change[];
  /** In deletion order: dependants first. */
  readonly deletions: readonly Deletion[];
  /** The highest revision so far of every keepOnDelete key that was ever declared; missing where there is none. */
  readonly revisions?: readonly HighestRevision[];
  /** Objects that are no longer declared but stay: keepOnDelete, taken over by somebody else, or for a run of both stages. */
  readonly kept: readonly KeptObject[];
  /** Objects outside this deployment that some change waits for; they must be ready, and are never written. */
  readonly awaited?: readonly AwaitedObject[];
  /** Things a reader should know that stop nothing. */
  readonly notices: readonly Problem[];
  /** SHA-256 (hex) over the canonical planned operations, not over live noise. */
  readonly digest: string;
}

/** `replace` deletes the object and makes it anew, because a field of it can't be changed. */
export type ChangeAction = "create" | "update" | "replace" | "unchanged";

/** One object to be there and ready. */
export interface Change {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  /** The resource id in the compilation, for the trace back to the adapter. */
  readonly resource: string;
  readonly action: ChangeAction;
  /** Exactly what is sent, normalised (deploy.md §2). */
  readonly desired: KubeObject;
  /** What the cluster holds; undefined for a creation. */
  readonly live: KubeObject | undefined;
  /** What the server answered to a dry-run; undefined when none was needed or possible. */
  readonly predicted: KubeObject | undefined;
  /** How sure the prediction is (deploy.md §5). */
  readonly certainty: Certainty;
  readonly after: readonly Edge[];
  /** Fields of `desired` with the values that were live: where those have changed by then, the new ones are sent. */
  readonly keeps?: readonly (readonly PathStep[])[] | undefined;
  /** Set when the fields of client-side tools become ours before the object is applied. */
  readonly adopts?: PlannedAdoption | undefined;
  /** Fields of others that are taken from them, since the user asked for it; nothing else is forced. */
  readonly forces?: readonly FieldConflict[] | undefined;
  /** A default of the server's that goes first, because it forbids what is declared beside it. */
  readonly clears?: Clearing | undefined;
  /** Versions of the API in which owners of its fields are recorded and which go first, since the server can't merge by them. */
  readonly renews?: readonly string[] | undefined;
  /** Texts of `desired` that are put together anew from live objects at the moment of applying. */
  readonly late?: readonly LateText[] | undefined;
  readonly keptSecrets?: readonly KeptSecret[] | undefined;
  /** Texts of `live` that came from Secrets by references of earlier releases. */
  readonly formerSecrets?: readonly string[] | undefined;
}

export interface PlannedAdoption {
  readonly managers: readonly string[];
  /** What they own, in the form of `managedFields`: if that has changed, the plan is no longer right. */
  readonly fields: JsonObject;
  /** What goes because nobody declares it any more, e.g. `metadata.annotations.team`. */
  readonly removes: readonly string[];
}

/** A field that we declare and somebody else owns with another value. */
export interface FieldConflict {
  /** As the API server names it, e.g. `.spec.replicas`. */
  readonly field: string;
  readonly manager: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** What the user allows a deployment to do: the same for its preview, so that this shows what will happen. */
export interface PlanPolicy {
  /** Protected kinds that may be deleted; `everything` lets a config without any manifest delete all there is. */
  readonly allowDelete: readonly string[];
  readonly conflicts: ConflictPolicy;
  /** How many revisions stay of every keepOnDelete key; undefined keeps all. */
  readonly keepRevisions?: number | undefined;
}

/** Whose fields may be taken over: nobody's, those of the managers that are named, or everybody's. */
export interface ConflictPolicy {
  readonly force: boolean;
  readonly takeover: readonly string[];
}

export type Certainty =
  | { readonly by: "server" }
  | { readonly by: "comparison" }
  | { readonly by: "unchecked"; readonly reason: string };

/** This object waits for `on` because of `reason`, e.g. "its Pod template reads it". */
export interface Edge {
  /** Key of another object. */
  readonly on: string;
  readonly reason: string;
}

export interface Deletion {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  readonly apiVersion: string;
  /** Precondition: only this very object is deleted. */
  readonly uid: string;
  readonly live: KubeObject;
  /** Keys that must be gone before this one goes. */
  readonly after: readonly Edge[];
  /** Set where a keepOnDelete object goes because enough newer ones of its key stay. */
  readonly retires?: Retirement | undefined;
}

/** Precondition: the object has this key and number, so nobody has protected it in another way. */
export interface Retirement {
  readonly key: string;
  readonly revision: string;
}

export interface AwaitedObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly live: KubeObject;
}

export interface KeptObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly why: "keepOnDelete" | "not ours" | "only one stage" | "needed";
  readonly detail: string;
  /** What is known of one that its keepOnDelete key protects. */
  readonly keeping?: Keeping | undefined;
}

export interface Keeping {
  readonly key: string;
  readonly revision: string;
  /** The first release that did not declare it any more; undefined where this deployment will be it, or no record tells. */
  readonly since: number | undefined;
  /** Live Pods and objects with Pod templates that name it; undefined where that can't be told. */
  readonly users: readonly string[] | undefined;
}

/** What is applied under which name: one manager per application, deployment and stage (spec §4). */
export function fieldManager(deployment: string, stage: Stage): string {
  return `qvs-${deployment}-${stage}`;
}
