import type { ApplyTimeReference, IgnoredSecretField } from "./apply-time-reference.ts";
import type { Stage } from "./compilation.ts";
import type { AlsoDeleted, Deletion, KeptObject } from "./deletion.ts";
import type { PathStep } from "./fields/ignore-paths.ts";
import type { Json, JsonObject } from "./json.ts";
import type { KubeObject, ObjectId } from "./object.ts";
import type { Problem } from "./problems/problem.ts";
import type { HighestRevision } from "./release.ts";

/** Everything that a deployment will do, as plain data: it can be printed, stored, compared. `apply` obeys it. */
export interface Plan {
  readonly deployment: string;
  /** Of its releases and its lock. */
  readonly namespace: string;
  /** Set when only this stage is deployed: nothing of the other one is written or deleted. */
  readonly onlyStage?: Stage | undefined;
  /** Set when only some of the objects are planned: the others stay as they are. */
  readonly isPart?: true;
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
  /** Texts that may be shown nowhere, as in a Compilation. */
  readonly hides?: readonly string[] | undefined;
  /** SHA-256 (hex) over the canonical planned operations, not over live noise. */
  readonly digest: string;
  /** What is done, one by one, as far as two plans are compared; missing where a plan was not made by `buildPlan`. */
  readonly operations?: readonly PlannedOperation[];
}

/** What a plan does about one object. */
export interface PlannedOperation {
  readonly key: string;
  readonly action: Exclude<ChangeAction, "unchanged"> | "delete" | "known after deploy";
  /** SHA-256 (hex) over its canonical text, in which no Secret's value is. */
  readonly digest: string;
}

/** `replace` recreates the object, because a field of it can't be changed. */
export type ChangeAction = "create" | "update" | "replace" | "unchanged";

/** What steps come to for whoever reads the plan. */
export function actionOf(steps: readonly Step[], live: KubeObject | undefined): ChangeAction {
  if (steps.length === 0) return "unchanged";
  if (live === undefined) return "create";
  return steps.some(({ type }) => type === "recreate") ? "replace" : "update";
}

/** One object to be there and ready. */
export interface Change {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  /** The resource id in the compilation, for the trace back to the adapter. */
  readonly resource: string;
  readonly action: ChangeAction;
  /** Set for what this same run has created before it could plan the rest: it is told as created, though it is there by now. */
  readonly isBegun?: true | undefined;
  /** What is done about it, in this order; nothing for an object that stays as it is. */
  readonly steps: readonly Step[];
  /** Exactly what is sent, normalised (docs/reference/ownership.md#sent-manifest). */
  readonly desired: KubeObject;
  /** What the cluster holds; undefined for a creation. */
  readonly live: KubeObject | undefined;
  /** What the server answered to a dry-run, or what it should make of the live object by its own rules; undefined where neither is known. */
  readonly predicted: KubeObject | undefined;
  /** How sure the prediction is (docs/concepts/previews.md#certainty). */
  readonly certainty: Certainty;
  readonly after: readonly Edge[];
  /** Fields of `desired` with the values that were live: where those have changed by then, the new ones are sent. */
  readonly keeps?: readonly (readonly PathStep[])[] | undefined;
  /** Texts of `desired` that are put together again from live objects at the moment of applying. */
  readonly late?: readonly ApplyTimeReference[] | undefined;
  /** What goes with the live object where that is recreated, and does not come back with it. */
  readonly alsoDeleted?: AlsoDeleted | undefined;
  readonly ignoredSecretFields?: readonly IgnoredSecretField[] | undefined;
  /** Texts of `live` that came from Secrets by references of earlier releases. */
  readonly previousSecretValues?: readonly string[] | undefined;
  /** As in `SecretHolder`. */
  readonly written?: ReadonlySet<string> | undefined;
  /** Why no preview asks about it: what would be told depends on a Secret's value. */
  readonly unasked?: string | undefined;
  /** What the API server warned of in dry-runs, as it may be shown. */
  readonly warnings?: readonly string[] | undefined;
  /** What of `live` and `predicted` may be shown, where that is not all. */
  readonly shows?: ShownInstead | undefined;
}

/** What is shown of a change instead of its own objects. */
export interface ShownInstead extends Pick<Change, "predicted"> {
  readonly live: KubeObject;
  /** Undefined where all of it may be shown. */
  readonly desired?: KubeObject;
  /** Whether the objects are whole, and only texts in them are hidden; otherwise fields are left out. */
  readonly whole: boolean;
}

/** One thing that is done to bring an object about. `src/ssa/steps` has a file for each, which knows all of it. */
export type Step =
  | ApplyStep
  | ForceStep
  | RemoveDefaultStep
  | MigrateApiVersionStep
  | ReclaimStep
  | TransferOwnershipStep
  | RecreateStep;

export type StepOf<T extends Step["type"]> = Extract<Step, { readonly type: T }>;

/** The object is applied; whatever others own of it with other values stays theirs, and is a conflict. */
interface ApplyStep {
  readonly type: "apply";
}

/** The same, but these fields of others are taken from them, since the user asked for it; nothing else is forced. */
interface ForceStep {
  readonly type: "force";
  readonly conflicts: readonly FieldConflict[];
  /** What the same managers go on owning, since it is not in dispute; missing where nobody could be asked. */
  readonly leaves?: readonly LeftFields[] | undefined;
}

/** Fields of a manager, e.g. `data.size`. */
interface LeftFields {
  readonly manager: string;
  readonly fields: readonly string[];
}

/**
 * A part of a live object that the server has filled with a default, which nobody owns and which forbids what we declare there:
 * `rollingUpdate` under a strategy that is to be `Recreate`. Applying can't remove what nobody owns.
 */
interface RemoveDefaultStep {
  readonly type: "remove-default";
  /** The fields that lead to the part, e.g. spec, strategy. */
  readonly path: readonly string[];
  /** What it becomes: what we declare there, nothing else. */
  readonly value: Json;
  /** The default that goes, e.g. `spec.strategy.rollingUpdate`. */
  readonly removes: string;
}

/** The owners of its fields are recorded in the declared version of the API, since the server can't merge by these. */
interface MigrateApiVersionStep {
  readonly type: "migrate-api-version";
  readonly versions: readonly string[];
}

/**
 * Our own entry among the owners is gone, as when somebody has cleared `managedFields`: what the last release has sent is recorded as
 * ours again.
 */
interface ReclaimStep {
  readonly type: "reclaim";
  /** What becomes ours again, in the form of `managedFields`. */
  readonly fields: JsonObject;
  /** What goes because it is no longer declared, e.g. `metadata.annotations.team`. */
  readonly removes: readonly string[];
  /** What is no longer declared and stays, since somebody has changed it. */
  readonly leaves: readonly string[];
}

/** The fields of client-side tools become ours. */
interface TransferOwnershipStep {
  readonly type: "transfer-ownership";
  readonly managers: readonly string[];
  /** What they own, in the form of `managedFields`: if that has changed, the plan is no longer right. */
  readonly fields: JsonObject;
  /** What goes because nobody declares it any more, e.g. `metadata.annotations.team`. */
  readonly removes: readonly string[];
}

/** The live object is deleted, so that the next step makes it again: a field of it can't be changed. */
interface RecreateStep {
  readonly type: "recreate";
  /** What can't be changed, e.g. `spec.selector`. */
  readonly fields: readonly string[];
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
  /** How many revisions stay of every keepOnDelete key; undefined keeps all, 0 none, which only the deletion of a deployment may ask for. */
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
  /** The server can't be asked yet: it was compared with what the server will check it by. */
  | { readonly by: "schema"; readonly reason: string }
  | { readonly by: "unchecked"; readonly reason: string }
  /** The server would not take it as it is: such a plan is not executed. */
  | { readonly by: "refused"; readonly reason: string };

/** This object waits for `on` because of `reason`, e.g. "its Pod template reads it". */
export interface Edge {
  /** Key of another object. */
  readonly on: string;
  readonly reason: string;
  /** Only while it is created the other one comes first: what is there does not depend on it, so no release records that. */
  readonly whileCreated?: true;
}

export interface AwaitedObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly live: KubeObject;
}

/**
 * What is applied under which name: one manager per application, deployment and stage
 * (docs/reference/ownership.md#field-ownership).
 */
export function fieldManager(deployment: string, stage: Stage): string {
  return `qvs-${deployment}-${stage}`;
}
