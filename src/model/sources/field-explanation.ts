import type { FieldOwner } from "../deployments/deployment-state.ts";
import type { Json } from "../json.ts";
import type { Position, Problem } from "../problems/problem.ts";

/**
 * The origin of one field of an object: its live value, its field managers, the manifest, the
 * places in the repository, their commits, and the first release (docs/operate/why.md). Strings are
 * untrusted text.
 */
export interface FieldExplanation {
  readonly deployment: string;
  /** The namespace of the releases. */
  readonly namespace: string;
  /** The key of the object. */
  readonly key: string;
  /** The path in the notation of qvs: `spec.template.spec.containers[name="web"].image`. */
  readonly field: string;
  readonly live: ShownValue | { readonly type: "no object" } | { readonly type: "not read" };
  /** The field managers, the last writer first. Empty for a default of the API server. */
  readonly managers: readonly NamedManager[];
  /** The autoscaler of the object, if the field is its number of replicas. */
  readonly autoscaler: string | undefined;
  /** True if qvs couldn't list the autoscalers. */
  readonly isAutoscalerUnread?: true;
  readonly manifest: DeclaredField | undefined;
  /** The places in the repository that the value comes from. */
  readonly sources: readonly FieldSource[];
  /** The number of further sources, which are left out. */
  readonly omitted: number;
  /** True if qvs adds the field to every object, so that no file of the repository has it. */
  readonly isAddedByQvs: boolean;
  /** The value at these places, if it isn't the recorded one. */
  readonly sourceValue: ShownValue | undefined;
  readonly first: ReleaseOfField | undefined;
  readonly notices: readonly Problem[];
}

/** A value as outputs can show it. */
export type ShownValue =
  | { readonly type: "value"; readonly value: Json }
  | { readonly type: "hidden" }
  | { readonly type: "not set" };

export interface NamedManager extends FieldOwner {
  /**
   * The meaning of the manager: this deployment, the autoscaler of the object, or another known
   * program; undefined for an unknown one.
   */
  readonly role: string | undefined;
}

/** The field in the manifest of a release, or of a commit if the releases can't be read. */
export interface DeclaredField {
  readonly value: ShownValue;
  /** The stage and resource id: `app/web`. */
  readonly resource: string;
  readonly release: number | undefined;
  /** True if this release is the current one. */
  readonly isCurrent: boolean;
  /** The release that a rollback restored, from which the manifest is. */
  readonly rollbackOf: number | undefined;
  readonly commit: string | undefined;
  readonly uncommitted: boolean;
}

/** One contribution to a field: an adapter, a manifest, a kustomization or a chart. */
export interface FieldSource {
  /** The import path of the adapter, or the entry of the config, such as `manifests: ../k8s`. */
  readonly adapter: string;
  /** The lines of it that wrote the field. */
  readonly places: readonly Position[];
  readonly parameters: readonly ParameterStep[];
  /** The last changes of the lines that decide the value. */
  readonly changes: readonly LineChange[];
}

/** A parameter that a value was made from, with the parameters behind its argument. */
export interface ParameterStep {
  readonly name: string;
  /** `adapter` for a parameter of an adapter, `config` for one of the config. */
  readonly of: "adapter" | "config";
  readonly given: Position | "command line" | "default";
  /** True if the parameter only decided whether the field exists. */
  readonly onlyDecides: boolean;
  readonly from: readonly ParameterStep[];
}

/** The commit that last changed a line, with the pull request, if its subject names one. */
export interface LineChange {
  readonly at: Position;
  readonly commit: string;
  readonly author: string;
  /** ISO 8601; empty if it's unknown. */
  readonly time: string;
  readonly subject: string;
  /** True if the clone is shallow there, so that an older commit might be the origin. */
  readonly isOldestInClone: boolean;
  readonly merge: string | undefined;
  readonly pullRequest: number | undefined;
}

/** The first release with the value. */
export interface ReleaseOfField {
  readonly revision: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly commit: string | undefined;
  readonly actor: string | undefined;
  readonly run: string | undefined;
  readonly approvedIn: readonly string[];
  /** True if older releases aren't recorded anymore. */
  readonly orEarlier: boolean;
}
