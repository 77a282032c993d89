import type { ApiFailure, ApiResult } from "../../model/cluster/api/api-failure.ts";
import type { PathStep } from "../../model/fields/field-path.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ClaimGrowth, ConflictPolicy, FieldConflict, Step } from "../../model/plan/plan.ts";
import type { Fact, Problem } from "../../model/problems/problem.ts";
import type { Stage } from "../../model/sources/compilation.ts";

/**
 * The interface of a step for planning, applying and reporting.
 * It has no side effects: requests are data.
 */
export interface StepKind<S extends Step> {
  /** Returns the test that shows whether a live object needs the step; undefined if it doesn't. */
  readonly detect: (candidate: StepCandidate, soFar: DryRunResult) => StepTrial | undefined;
  /**
   * Returns the step for an object that the API server can't dry-run; undefined if it isn't needed.
   */
  readonly assume: (target: StepTarget) => S | undefined;
  readonly execution: (step: S, target: Omit<StepTarget, "live">) => Execution;
  /** Returns the notices for readers of the plan. */
  readonly describe: (step: S, words: StepLabels) => readonly Problem[];
  /** Returns the part for the digest of the plan, in addition to the object that qvs sends. */
  readonly digest: (step: S) => JsonObject;
}

/** A live object and its desired state. */
export interface StepTarget {
  readonly deployment: string;
  readonly stage: Stage;
  /** The object that qvs sends. */
  readonly object: KubeObject;
  readonly live: KubeObject;
  /** Managers from which the user takes all fields. */
  readonly takeover?: readonly string[] | undefined;
}

/** An object for which qvs detects steps. */
export interface StepCandidate extends StepTarget {
  /**
   * The object that qvs would send for a recreation.
   * It is undefined if the object must not be deleted, whatever its manifest allows.
   */
  readonly recreated: KubeObject | undefined;
  readonly conflicts: ConflictPolicy;
  /** True for a drift correction. */
  readonly corrects?: boolean | undefined;
  /**
   * The data from earlier releases; undefined if none declared the object or if it belongs to
   * another owner.
   */
  readonly recorded: RecordedState | undefined;
}

interface RecordedState {
  /** The object that the last release sent; undefined if that isn't certain. */
  readonly sent: KubeObject | undefined;
  /** The paths that stay as they are, whatever was sent. */
  readonly ignored: readonly (readonly PathStep[])[];
}

/** Undeclared fields of other managers. */
export interface ConflictingFields {
  readonly managers: readonly string[];
  /** The paths closest to the rejected field, such as `spec.ports[port=80,protocol="TCP"]`. */
  readonly paths: readonly string[];
}

/** The results of the dry runs of one object. */
export interface DryRunResult {
  /** The API server's answer to the object without any step. */
  readonly alone: ApiResult<KubeObject>;
  /** The answer with the steps. */
  readonly answer: ApiResult<KubeObject>;
  readonly steps: readonly Step[];
  /** The reason why no dry run can show the result of the steps. */
  readonly unanswered?: string | undefined;
  /** The API server's error for a recreation under another name. */
  readonly recreateRefusal?: ApiFailure | undefined;
  /**
   * Other managers' fields that conflict with the object. Without them, the API server accepted it.
   */
  readonly excludedBy?: ConflictingFields | undefined;
  /** The warnings of the API server in any of the dry runs. */
  readonly warnings?: readonly string[];
  /** Set if the API server accepts the object, but a step would remove a field that it needs. */
  readonly lossFix?: string | undefined;
}

/** The requests that show whether a step helps. */
export interface StepTrial {
  /**
   * The requests in order; qvs stops at the first rejection.
   * A request can depend on earlier answers. qvs skips it if it is undefined.
   */
  readonly requests: readonly (DryRunRequest | DependentRequest)[];
  /** The requests after a rejection, until one is accepted. Each one gets the answers so far. */
  readonly fallbacks?: readonly DependentRequest[];
  /** Returns the result. `answers` has one entry for each request that qvs sent. */
  readonly conclude: (answers: readonly ApiResult<KubeObject>[]) => DryRunResult;
}

type DependentRequest = (answers: readonly ApiResult<KubeObject>[]) => DryRunRequest | undefined;

export type DryRunRequest =
  | { readonly verb: "apply"; readonly object: KubeObject; readonly force: boolean }
  | { readonly verb: "create"; readonly object: KubeObject }
  | { readonly verb: "patch"; readonly patch: readonly JsonObject[] };

/** The way to run a step. */
export type Execution =
  /** A patch is bound to one version of the object, so qvs creates one for each attempt. */
  | { readonly by: "patch"; readonly patch: (live: KubeObject) => PatchDecision }
  /** An apply that forces exactly these conflicts. */
  | { readonly by: "apply"; readonly force: readonly FieldConflict[] }
  /** Without `dependents`, the dependents of the object are deleted first. */
  | { readonly by: "delete"; readonly dependents?: "orphan" }
  | { readonly by: "grow claims"; readonly claims: readonly ClaimGrowth[] };

/**
 * The decision for a live object.
 * It is a patch (RFC 6902), nothing because it is done, or a stop because the object isn't as
 * planned.
 */
export type PatchDecision = readonly JsonObject[] | "done" | "not as planned";

/** The words for the description of a step. */
export interface StepLabels {
  /** The name of the object for users. */
  readonly name: string;
  /** The declared API version. */
  readonly apiVersion: string;
  /** True if the object had no field of this deployment before. */
  readonly isAdopted: boolean;
  /** Returns the stage of this deployment that a manager applies; undefined for other managers. */
  readonly stageOf: (manager: string) => Stage | undefined;
  /** True if the output can name fields of other managers. */
  readonly canNameFields: boolean;
  /** Returns the path of a field, with its values if they can be shown. */
  readonly field: (conflict: FieldConflict) => {
    readonly path: string;
    readonly values: readonly Fact[];
  };
}

/** Returns the error of the last request; undefined if the API server accepted all. */
export function lastRejection(answers: readonly ApiResult<KubeObject>[]): ApiFailure | undefined {
  const last = answers.at(-1);
  return last === undefined || last.ok ? undefined : last.failure;
}

/** Returns the result with an additional first step. */
export function withFirstStep(step: Step, soFar: DryRunResult): DryRunResult {
  return { ...soFar, steps: [step, ...soFar.steps] };
}
