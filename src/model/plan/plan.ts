import type { DeploymentCheck } from "../deployments/deployment-checks.ts";
import type { HighestRevision } from "../deployments/release.ts";
import type { PathStep } from "../fields/field-path.ts";
import type { HealthRule } from "../health-rule.ts";
import type { Json, JsonObject } from "../json.ts";
import type { KubeObject, ObjectId } from "../object.ts";
import type { Problem } from "../problems/problem.ts";
import type { CapabilityAnswer, Stage } from "../sources/compilation.ts";
import type { ApplyTimeReference, IgnoredSecretField } from "./apply-time-reference.ts";
import type { AlsoDeleted, Deletion, HookRule, KeptObject } from "./deletion.ts";
import type { RolloutForecast } from "./predictions.ts";

/**
 * Everything that a deployment does, as plain data that qvs can print, store and compare. The code
 * in `src/apply` executes it.
 */
export interface Plan {
  readonly deployment: string;
  /** The namespace of the releases and the deployment lock. */
  readonly namespace: string;
  /**
   * Set if qvs deploys only this stage. It then neither writes nor deletes objects of the other
   * stage.
   */
  readonly onlyStage?: Stage | undefined;
  /** Set if qvs plans only some of the objects. The other objects stay as they are. */
  readonly isPartial?: true;
  /** The changes in deploy order: by stage, then by dependency, then by key. */
  readonly changes: readonly Change[];
  /** The deletions in order: dependents first. */
  readonly deletions: readonly Deletion[];
  /**
   * The highest revision so far of every `keepOnDelete` key that was ever declared; missing if
   * there is none.
   */
  readonly revisions?: readonly HighestRevision[];
  /**
   * Objects that are no longer declared but stay, e.g. because of `keepOnDelete`, because they have
   * another owner, or until a run deploys both stages.
   */
  readonly kept: readonly KeptObject[];
  /**
   * Objects outside this deployment that a change waits for. They must be ready, and qvs never
   * writes them.
   */
  readonly awaited?: readonly AwaitedObject[];
  /** The checks; missing if there are none. They run before the deletions, except for `gates`. */
  readonly checks?: readonly DeploymentCheck[];
  /** The checks that run before the objects that depend on them; missing if there are none. */
  readonly gates?: readonly CheckGate[];
  /** The answers of the cluster that charts asked for; missing if there are none. */
  readonly capabilities?: readonly CapabilityAnswer[];
  /** True if this plan or an earlier release has a check with a Job, which might be left. */
  readonly hasCheckJobs?: boolean;
  /** Information for the reader that blocks nothing. */
  readonly notices: readonly Problem[];
  /** Strings that qvs must not show, as in a Compilation. */
  readonly hides?: readonly string[] | undefined;
  /** The health rules of the user; missing if there is none. */
  readonly health?: readonly HealthRule[];
  /** The forecasts of the rollouts that replace Pods; missing if there are none. */
  readonly forecasts?: readonly RolloutForecast[];
  /**
   * The SHA-256 (hex) of the canonical planned operations. Unrelated changes of live objects don't
   * affect it.
   */
  readonly digest: string;
  /** The operations, for comparing two plans. Missing if `buildPlan` didn't make the plan. */
  readonly operations?: readonly PlannedOperation[];
}

/** The planned operation on one object. */
export interface PlannedOperation {
  readonly key: string;
  readonly action: Exclude<ChangeAction, "unchanged"> | "delete" | "hook" | "known after deploy";
  /** The SHA-256 (hex) of the operation's canonical text, which contains no value of a Secret. */
  readonly digest: string;
}

/**
 * The action of a change. `replace` creates the object again, because one of its fields can't be
 * changed.
 */
export type ChangeAction = "create" | "update" | "replace" | "unchanged";

/** Returns the action that summarizes the steps for a reader of the plan. */
export function summarizeAction(
  steps: readonly Step[],
  live: KubeObject | undefined,
): ChangeAction {
  if (steps.length === 0) return "unchanged";
  if (live === undefined) return "create";
  return isRecreated(steps) ? "replace" : "update";
}

/** Reports whether the steps delete the live object and create it again. */
export function isRecreated(steps: readonly Step[]): boolean {
  return steps.some(({ type }) => type === "recreate" || type === "orphan");
}

/** Returns the fields because of which an object is deleted and created again. */
export function recreationFields(steps: readonly Step[]): readonly string[] | undefined {
  return steps.find((step) => step.type === "recreate" || step.type === "orphan")?.fields;
}

/** Reports whether the live object is deleted together with its Pods and created again. */
export function replacesPods({ action, steps }: Pick<Change, "action" | "steps">): boolean {
  return action === "replace" && !steps.some(({ type }) => type === "orphan");
}

/** Returns the hooks of a plan, which qvs deletes at its end. */
export function hooksOf({ changes }: Pick<Plan, "changes">): readonly Change[] {
  return changes.filter(({ hook }) => hook !== undefined);
}

/** Returns a plan that does nothing, for the same deployment. */
export function withoutChanges(plan: Plan): Plan {
  return { ...plan, changes: [], deletions: [], kept: [], awaited: [], checks: [], gates: [] };
}

/** Reports whether a change is a hook that runs after the deletions of its plan. */
export function isLastHook({ hook }: Pick<Change, "hook">): boolean {
  return hook?.event === "post-delete";
}

/** Returns the PersistentVolumeClaims that the steps make larger. */
export function grownClaims(steps: readonly Step[]): readonly ClaimGrowth[] {
  return steps.flatMap((step) => (step.type === "grow-claims" ? step.claims : []));
}

/** An object that must exist and be ready after the deployment. */
export interface Change {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  /** The resource id in the compilation, which traces the object back to the adapter. */
  readonly resource: string;
  readonly action: ChangeAction;
  /**
   * Set if this run created the object before it could plan the rest. qvs reports it as created,
   * although it exists by now.
   */
  readonly isCreatedByThisRun?: true | undefined;
  /** The operations on the object, in order. Empty if the object stays as it is. */
  readonly steps: readonly Step[];
  /** The exact object that qvs sends, normalized (docs/reference/ownership.md#sent-manifest). */
  readonly desired: KubeObject;
  /** The live object; undefined for a creation. */
  readonly live: KubeObject | undefined;
  /**
   * The API server's answer to a dry run, or the result that its rules predict for the live object.
   * Undefined if neither is known.
   */
  readonly predicted: KubeObject | undefined;
  /** The certainty of the prediction (docs/concepts/previews.md#certainty). */
  readonly certainty: Certainty;
  readonly after: readonly Edge[];
  /** Set for a hook of a deletion, which qvs deletes after it has run. */
  readonly hook?: HookRule | undefined;
  /**
   * The fields of `desired` that have their live values. If a live value changes after planning,
   * qvs sends the new one.
   */
  readonly keeps?: readonly (readonly PathStep[])[] | undefined;
  /**
   * The strings of `desired` that qvs assembles from live objects again when it applies the change.
   */
  readonly applyTimeReferences?: readonly ApplyTimeReference[] | undefined;
  /**
   * The objects that Kubernetes deletes with the live object if it is recreated, and that aren't
   * restored.
   */
  readonly alsoDeleted?: AlsoDeleted | undefined;
  readonly ignoredSecretFields?: readonly IgnoredSecretField[] | undefined;
  /** Strings of `live` that references of earlier releases copied from Secrets. */
  readonly previousSecretValues?: readonly string[] | undefined;
  /** The same as in `EmbeddedSecrets`. */
  readonly manifestStrings?: ReadonlySet<string> | undefined;
  /**
   * The reason why no preview sends a dry run for the object, e.g. because the answer depends on a
   * Secret's value.
   */
  readonly dryRunSkipped?: string | undefined;
  /** The API server's warnings in dry runs, redacted for display. */
  readonly warnings?: readonly string[] | undefined;
  /** The part of `live` and `predicted` that qvs can show, if it can't show everything. */
  readonly redacted?: RedactedObjects | undefined;
}

/** The objects that qvs shows for a change instead of the change's own objects. */
export interface RedactedObjects extends Pick<Change, "predicted"> {
  readonly live: KubeObject;
  /** Undefined if qvs can show the whole object. */
  readonly desired?: KubeObject;
  /**
   * True if the objects are complete and only strings in them are hidden. False if fields are left
   * out.
   */
  readonly isComplete: boolean;
}

/**
 * One operation that changes an object. `src/ssa/steps` has one file per step, which contains all
 * its logic.
 */
export type Step =
  | ApplyStep
  | ForceStep
  | RemoveDefaultStep
  | MigrateApiVersionStep
  | ReclaimStep
  | TransferOwnershipStep
  | RecreateStep
  | OrphanStep
  | GrowClaimsStep;

export type StepOf<T extends Step["type"]> = Extract<Step, { readonly type: T }>;

/**
 * Applies the object. If another field manager owns a field with another value, the API server
 * reports a conflict.
 */
interface ApplyStep {
  readonly type: "apply";
}

/**
 * Applies the object and takes ownership of the conflicting fields, as the user requested. Nothing
 * else is forced.
 */
export interface ForceStep {
  readonly type: "force";
  readonly conflicts: readonly FieldConflict[];
  /**
   * The undisputed fields that the same managers continue to own. Missing if qvs couldn't ask the
   * API server.
   */
  readonly leaves?: readonly ManagerFields[] | undefined;
}

/** The fields of a manager, e.g. `data.size`. */
interface ManagerFields {
  readonly manager: string;
  readonly fields: readonly string[];
}

/**
 * Removes a default of the API server that contradicts the manifest, such as `rollingUpdate` under
 * a strategy that becomes `Recreate`. No field manager owns the default, so Server-Side Apply can't
 * remove it.
 */
export interface RemoveDefaultStep {
  readonly type: "remove-default";
  /** The fields that lead to the part, e.g. spec, strategy. */
  readonly path: readonly string[];
  /** The new value of the part: only what the manifest declares there. */
  readonly value: Json;
  /** The default that is removed, e.g. `spec.strategy.rollingUpdate`. */
  readonly removes: string;
}

/**
 * Records the owners of the object's fields in the declared API version. The API server can't merge
 * by the versions in `versions`.
 */
interface MigrateApiVersionStep {
  readonly type: "migrate-api-version";
  readonly versions: readonly string[];
}

/**
 * Records the fields that the last release sent as this deployment's again. Its own entry in
 * `managedFields` is missing, e.g. because a user cleared them.
 */
export interface ReclaimStep {
  readonly type: "reclaim";
  /** The fields that this deployment owns again, in the form of `managedFields`. */
  readonly fields: JsonObject;
  /**
   * The fields that are removed because they are no longer declared, e.g.
   * `metadata.annotations.team`.
   */
  readonly removes: readonly string[];
  /** The fields that are no longer declared but stay, because another user or tool changed them. */
  readonly leaves: readonly string[];
}

/** Transfers the fields of client-side tools to this deployment. */
export interface TransferOwnershipStep {
  readonly type: "transfer-ownership";
  readonly managers: readonly string[];
  /**
   * The fields that the managers own, in the form of `managedFields`. If they changed, the plan is
   * no longer valid.
   */
  readonly fields: JsonObject;
  /**
   * The fields that are removed because no manager declares them any more, e.g.
   * `metadata.annotations.team`.
   */
  readonly removes: readonly string[];
}

/**
 * Deletes the live object so that the next step creates it again, because one of its fields can't
 * be changed.
 */
interface RecreateStep {
  readonly type: "recreate";
  /** The fields that can't be changed, e.g. `spec.selector`. */
  readonly fields: readonly string[];
}

/**
 * Deletes the live StatefulSet without its Pods, because one of its fields can't be changed. The
 * next step creates it again, and it adopts the Pods.
 */
interface OrphanStep {
  readonly type: "orphan";
  /** The fields that can't be changed, e.g. `spec.volumeClaimTemplates`. */
  readonly fields: readonly string[];
}

/** Makes existing PersistentVolumeClaims of a StatefulSet as large as their template declares. */
interface GrowClaimsStep {
  readonly type: "grow-claims";
  readonly claims: readonly ClaimGrowth[];
}

/** A PersistentVolumeClaim that becomes larger, in the namespace of its StatefulSet. */
export interface ClaimGrowth {
  readonly name: string;
  readonly uid: string;
  /** The requested storage now, e.g. `1Gi`. */
  readonly from: string;
  readonly to: string;
  /** Undefined if the claim names no StorageClass. */
  readonly storageClass?: string | undefined;
}

/** A declared field that another field manager owns with another value. */
export interface FieldConflict {
  /** The path as the API server writes it, e.g. `.spec.replicas`. */
  readonly field: string;
  readonly manager: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/**
 * The operations that the user allows. A deployment and its preview have the same policy, so the
 * preview predicts the deployment.
 */
export interface PlanPolicy {
  /**
   * The protected kinds that qvs can delete. `everything` lets a config without manifests delete
   * all objects.
   */
  readonly allowDelete: readonly string[];
  readonly conflicts: ConflictPolicy;
  /**
   * The number of revisions to keep per `keepOnDelete` key. Undefined keeps all. Only the deletion
   * of a deployment can set 0, which keeps none.
   */
  readonly keepRevisions?: number | undefined;
}

/** The field managers whose fields qvs can take over: none, the named managers, or all. */
export interface ConflictPolicy {
  readonly force: boolean;
  readonly takeover: readonly string[];
}

export type Certainty =
  | { readonly by: "server" }
  | { readonly by: "comparison" }
  /**
   * The API server can't check the object yet. qvs compared it with the schema that the API server
   * will use.
   */
  | { readonly by: "schema"; readonly reason: string }
  | { readonly by: "unchecked"; readonly reason: string }
  /** The API server would reject the object. qvs doesn't execute such a plan. */
  | { readonly by: "refused"; readonly reason: string };

/**
 * A dependency: the object waits for `on` because of `reason`, e.g. "its Pod template reads it".
 */
export interface Edge {
  /** The key of the other object. */
  readonly on: string;
  readonly reason: string;
  /**
   * Set if the dependency applies only to a change of the object. An existing object doesn't depend
   * on `on`, so no release records the edge.
   */
  readonly unrecorded?: true;
}

/** A check that objects wait for. It runs once, before the first of them. */
export interface CheckGate {
  readonly key: string;
  /** The name of a check of the plan. */
  readonly name: string;
  /** The earliest stage of the objects that wait for the check. */
  readonly stage: Stage;
  /** The objects that the check needs, such as the Service that it requests. */
  readonly after: readonly Edge[];
  /** The keys of the objects that wait for the check, in the order of the plan. */
  readonly before: readonly string[];
  /** The SHA-256 (hex) of the waiting objects, without any value of a Secret. */
  readonly digest: string;
}

export interface AwaitedObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly live: KubeObject;
}

/**
 * Returns the field manager of one stage of a deployment
 * (docs/reference/ownership.md#field-ownership).
 */
export function fieldManager(deployment: string, stage: Stage): string {
  return `qvs-${deployment}-${stage}`;
}
