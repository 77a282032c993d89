import type { Json } from "../json.ts";
import type { ObjectId } from "../object.ts";
import type { FieldAuthor } from "../plan/attribution.ts";
import type { Finding } from "../problems/finding.ts";
import type { Problem } from "../problems/problem.ts";
import type { Stage } from "../sources/compilation.ts";

/**
 * A kind of difference between a live object and the current release
 * (docs/reference/drift.md#kinds). `changed`: a field has another value or none. `missing`: the
 * object doesn't exist, or is being deleted. `taken over`: only another field manager owns the
 * fields. `extra`: the object exists, but should be deleted.
 */
export type DriftKind = "changed" | "missing" | "taken over" | "extra";

/** The kinds in the order in which qvs counts and shows them. */
export const driftKinds: readonly DriftKind[] = ["changed", "missing", "taken over", "extra"];

/** One field that drifted. Both values are safe to show. */
export interface DriftedField {
  /** The path as users read it: `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  /** Undefined if the field doesn't exist. */
  readonly live: Json | undefined;
  /**
   * The value in the release, as the API server writes it. Undefined if the release declares none.
   */
  readonly recorded: Json | undefined;
  /**
   * The last author of the field. Undefined if the cluster records none, as for a removed field.
   */
  readonly by?: FieldAuthor | undefined;
  /** Set if qvs shows neither the values nor whether they differ. */
  readonly isHidden?: true | undefined;
}

/** The drift of one object, which one operation of a correction corrects. */
export interface DriftedObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  readonly kind: DriftKind;
  readonly fields: readonly DriftedField[];
  /**
   * The fields that can't be changed in place. Set if a correction deletes the object and creates
   * it again.
   */
  readonly recreates?: readonly string[] | undefined;
  /** The author who created the object again after it was deleted. */
  readonly createdBy?: FieldAuthor | undefined;
  /**
   * The time of the deletion (ISO 8601). Set if the object is being deleted and waits for its
   * finalizers.
   */
  readonly deletedSince?: string | undefined;
  /**
   * The reason why qvs can't compare the fields, e.g. because they depend on the value of a Secret.
   */
  readonly unsure?: string | undefined;
}

/** The result of comparing a deployment in the cluster with its current release. */
export interface Drift {
  readonly deployment: string;
  readonly namespace: string;
  /** `unknown` if qvs can't compare; `blockers` contains the reasons. */
  readonly status: "clean" | "drifted" | "unknown";
  /** The current release; undefined if none is known. */
  readonly release: number | undefined;
  /** The time of the comparison (ISO 8601). */
  readonly at: string;
  /** The number of objects that the release declares. */
  readonly declared: number;
  readonly objects: readonly DriftedObject[];
  /** The errors that prevent a correction. */
  readonly blockers: readonly Problem[];
  /** The findings about objects that a correction wouldn't restore as they were. */
  readonly findings: readonly Finding[];
  readonly notices: readonly Problem[];
}
