import type { PathStep } from "../../model/fields/field-path.ts";
import type { KubeObject, ObjectId } from "../../model/object.ts";
import type {
  ApplyTimeReference,
  IgnoredSecretField,
} from "../../model/plan/apply-time-reference.ts";
import type { HookRule } from "../../model/plan/deletion.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { Stage } from "../../model/sources/compilation.ts";
import type { DeclaredNulls } from "./manifest-nulls.ts";
import type { PendingText } from "./references.ts";

/*
 * The types of an object on its way from the manifest to the API server.
 * Each phase adds its results as members of the next type, so that the compiler finds a skipped
 * phase.
 */

/** The declared object, normalized; from `declareObjects`. */
export interface DeclaredObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  /** The resource id in the compilation. */
  readonly resource: string;
  readonly object: KubeObject;
  /** The position in the adapter; unknown for an object that a release recorded. */
  readonly where?: Position;
  /** The resource ids that the object waits for, in addition to its annotations. */
  readonly dependsOn: readonly string[];
  /**
   * The references that are resolved later. A token stands for each of them until
   * `substituteKnownValues`.
   */
  readonly references: readonly PendingText[];
  /** The paths that `object` omits because only the cluster writes them, as messages show them. */
  readonly leftOut?: readonly string[];
  /** Set for a hook of a deletion. */
  readonly hook?: HookRule;
  /** The nulls that `object` omits because the API server wouldn't store them. */
  readonly nulls?: DeclaredNulls;
}

/** The object with its revision; from `numberRevisions`. */
export interface NumberedObject extends DeclaredObject {
  /** Undefined for an object that has no revision, or had none when it was created. */
  readonly revision: string | undefined;
}

/** The object without the fields that it ignores; from `ignoreChanges`. */
export interface PreparedObject extends NumberedObject {
  /** Undefined for an object that is new or has no ignored fields. */
  readonly ignoring: IgnoredFields | undefined;
}

interface IgnoredFields {
  /** The whole manifest, including the fields that qvs doesn't send. */
  readonly declared: KubeObject;
  /**
   * Set if qvs also sends live values. The update must fail if they changed after qvs read them.
   */
  readonly resourceVersion: string | undefined;
  /** The paths that stay as they are, as in the manifest. */
  readonly paths: readonly (readonly PathStep[])[];
  /**
   * The object that qvs sends to recreate the live one. It includes the ignored fields, because no
   * one owns them then.
   */
  readonly recreated: KubeObject;
}

/** The object with a value for every token; from `substituteKnownValues`. */
export interface ResolvedObject extends PreparedObject {
  readonly applyTimeReferences: readonly ApplyTimeReference[];
  /** The ignored fields that can contain a Secret's value. */
  readonly ignoredSecretFields: readonly IgnoredSecretField[];
  /**
   * The object with the declared values of Secrets, for a preview. qvs compares it but never sends
   * it.
   */
  readonly provable: KubeObject | undefined;
  /** The object that qvs sends to recreate the live one. */
  readonly recreated: Pick<ResolvedObject, "object" | "applyTimeReferences">;
}

/** The object with the Secret values of earlier releases; from `markPreviousSecretValues`. */
export interface MarkedObject extends ResolvedObject {
  readonly previousSecretValues: readonly string[];
  /** The same as in `EmbeddedSecrets`. */
  readonly manifestStrings: ReadonlySet<string> | undefined;
  /** True if another string replaces a Secret's value. */
  readonly replacesSecret: boolean;
}

/** The object with all facts that planning needs; from `withhold`. */
export interface DesiredObject extends MarkedObject {
  /** The reason why a preview sends no dry run for the object. */
  readonly dryRunSkipped: string | undefined;
}
