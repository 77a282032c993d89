import type { FieldAuthor } from "./attribution.ts";
import type { Stage } from "./compilation.ts";
import type { Json } from "./json.ts";
import type { ObjectId } from "./object.ts";
import type { Finding } from "./problems/finding.ts";
import type { Problem } from "./problems/problem.ts";

/**
 * How a live object differs from what the running release declares (docs/reference/drift.md#kinds): a field has another value or is
 * gone, the object is gone or being deleted, its fields are no longer recorded as this deployment's, or it should be gone and is there.
 */
export type DriftKind = "changed" | "missing" | "taken over" | "extra";

/** In the order in which they are counted and told. */
export const driftKinds: readonly DriftKind[] = ["changed", "missing", "taken over", "extra"];

/** One field, with its values as they may be shown. */
export interface DriftedField {
  /** `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  /** undefined where it is not there. */
  readonly live: Json | undefined;
  /** What the release declares, as the API server writes it; undefined where it declares nothing. */
  readonly recorded: Json | undefined;
  /** Who has written it last; undefined where the cluster does not tell, as for a field that was removed. */
  readonly by?: FieldAuthor | undefined;
  /** Set where the values are not shown, nor whether they differ. */
  readonly isHidden?: true | undefined;
}

/** What one operation of a correction puts right. */
export interface DriftedObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  readonly kind: DriftKind;
  readonly fields: readonly DriftedField[];
  /** Set where the object is deleted and created again, since these fields of it can't be changed. */
  readonly recreates?: readonly string[] | undefined;
  /** Who has created it again after it was deleted. */
  readonly createdBy?: FieldAuthor | undefined;
  /** Set where it is being deleted, and waits for its finalizers. ISO 8601. */
  readonly deletedSince?: string | undefined;
  /** Why its fields can't be told, e.g. since they depend on the value of a Secret. */
  readonly unsure?: string | undefined;
}

/** How a deployment in the cluster compares with its running release. */
export interface Drift {
  readonly deployment: string;
  readonly namespace: string;
  /** "unknown" where it can't be told; `blockers` say why. */
  readonly status: "clean" | "drifted" | "unknown";
  /** The running release; undefined where there is none that is known. */
  readonly release: number | undefined;
  /** When it was compared (ISO 8601). */
  readonly at: string;
  /** How many objects the release declares. */
  readonly declared: number;
  readonly objects: readonly DriftedObject[];
  /** What keeps a correction from being made. */
  readonly blockers: readonly Problem[];
  /** What a correction would make that is not what it was. */
  readonly findings: readonly Finding[];
  readonly notices: readonly Problem[];
}
