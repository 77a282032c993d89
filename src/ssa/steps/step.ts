import type { Answer, ApiFailure } from "../../model/cluster/api-failure.ts";
import type { Stage } from "../../model/compilation.ts";
import type { PathStep } from "../../model/fields/ignore-paths.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ConflictPolicy, FieldConflict, Step } from "../../model/plan.ts";
import type { Fact, Problem } from "../../model/problems/problem.ts";

/** All that planning, applying and reports must know of one step. None of it does anything: requests are data. */
export interface StepKind<S extends Step> {
  /** Whether a live object needs the step, and how that is tried; undefined where it does not. */
  readonly detect: (candidate: Candidate, soFar: DryRunResult) => Trial | undefined;
  /** The step where the server can't be asked about the object; undefined where there is none then. */
  readonly assume: (target: Target) => S | undefined;
  readonly execution: (step: S, target: Omit<Target, "live">) => Execution;
  /** What whoever reads the plan should know of the step. */
  readonly describe: (step: S, words: StepWords) => readonly Problem[];
  /** What of it counts in the digest of the plan, besides the object that is sent. */
  readonly digest: (step: S) => JsonObject;
}

/** A live object, and what it is to become. */
export interface Target {
  readonly deployment: string;
  readonly stage: Stage;
  /** What is sent. */
  readonly object: KubeObject;
  readonly live: KubeObject;
  /** Managers that the user wants to take everything from. */
  readonly takeover?: readonly string[] | undefined;
}

/** An object whose steps are looked for. */
export interface Candidate extends Target {
  /** What would be sent if it were made again; undefined where it must not be deleted, whatever its manifest says. */
  readonly recreated: KubeObject | undefined;
  readonly conflicts: ConflictPolicy;
  /** What earlier releases tell of it; undefined where they never declared it, or it is somebody else's. */
  readonly recorded: Recorded | undefined;
}

interface Recorded {
  /** What the last release has sent; undefined where that is not certain. */
  readonly sent: KubeObject | undefined;
  /** What stays as it is, whatever was sent. */
  readonly ignored: readonly (readonly PathStep[])[];
}

/** Fields that others hold and nobody declares. */
export interface FieldsBeside {
  readonly managers: readonly string[];
  /** The closest to what is refused: `spec.ports[port=80,protocol="TCP"]`. */
  readonly paths: readonly string[];
}

/** What dry-runs have shown of one object. */
export interface DryRunResult {
  /** The server's answer to the object as it is. */
  readonly alone: Answer<KubeObject>;
  /** What the steps make of it. */
  readonly answer: Answer<KubeObject>;
  readonly steps: readonly Step[];
  /** Why no dry-run can show what the steps make of it. */
  readonly unanswered?: string | undefined;
  /** Why it can't be made again either, as the server said of it under another name. */
  readonly remade?: ApiFailure | undefined;
  /** What others hold that the server refuses it beside; without that it was accepted. */
  readonly excludedBy?: FieldsBeside | undefined;
  /** What the API server warned of in any of the dry-runs. */
  readonly warnings?: readonly string[];
  /** Set where applying alone is accepted, and only what a step would take from the object is missed. */
  readonly lossFix?: string | undefined;
}

/** How it is found out whether a step helps. */
export interface Trial {
  /**
   * Sent one after the other; the first that is refused is the last. One may depend on the answers before it, and be left out where
   * it is undefined.
   */
  readonly requests: readonly (DryRunRequest | DependentRequest)[];
  /** Sent where one of them was refused, until one is accepted, with the answers up to that. */
  readonly otherwise?: readonly DependentRequest[];
  /** What is known then; `answers` has one for every request that was sent. */
  readonly conclude: (answers: readonly Answer<KubeObject>[]) => DryRunResult;
}

type DependentRequest = (answers: readonly Answer<KubeObject>[]) => DryRunRequest | undefined;

export type DryRunRequest =
  | { readonly verb: "apply"; readonly object: KubeObject; readonly force: boolean }
  | { readonly verb: "create"; readonly object: KubeObject }
  | { readonly verb: "patch"; readonly patch: readonly JsonObject[] };

/** How a step is carried out. */
export type Execution =
  /** A patch is for one version of the object, so it is made for each that is tried. */
  | { readonly by: "patch"; readonly patch: (live: KubeObject) => PatchDecision }
  /** Over exactly these conflicts, and no others. */
  | { readonly by: "apply"; readonly force: readonly FieldConflict[] }
  | { readonly by: "delete" };

/** What is to be done to a live object: a patch (RFC 6902), nothing any more, or not what was planned. */
export type PatchDecision = readonly JsonObject[] | "done" | "not as planned";

/** What steps are described with. */
export interface StepWords {
  /** The object, as people call it. */
  readonly name: string;
  /** The version that is declared. */
  readonly apiVersion: string;
  /** Nothing of this deployment was on the object before. */
  readonly isFirstMet: boolean;
  /** The stage of this deployment that a manager applies; undefined for those of others. */
  readonly stageOf: (manager: string) => Stage | undefined;
  /** Fields that are not ours may be named. */
  readonly mayName: boolean;
  /** A field of it, with its values where these may be shown. */
  readonly field: (conflict: FieldConflict) => {
    readonly path: string;
    readonly values: readonly Fact[];
  };
}

/** The refusal of the last request; undefined where all were accepted. */
export function refusalIn(answers: readonly Answer<KubeObject>[]): ApiFailure | undefined {
  const last = answers.at(-1);
  return last === undefined || last.ok ? undefined : last.failure;
}

/** The same, with a step that is done before those that were found so far. */
export function withFirstStep(step: Step, soFar: DryRunResult): DryRunResult {
  return { ...soFar, steps: [step, ...soFar.steps] };
}
