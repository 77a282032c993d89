import type { ChangeSource, FieldAuthor } from "../../model/attribution.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import type { NotableField } from "./notable-field.ts";

/**
 * One object of a deployment that a reader should look at: what happens to it, why, and how sure that is. It is plain data, and
 * everything in it may be shown.
 */
export interface Row {
  readonly action: RowAction;
  /** Of the change or the deletion; undefined for what stands for several objects, or is in no plan. */
  readonly key?: string | undefined;
  readonly name: string;
  /** The object whose place it takes, which is deleted once it is ready. */
  readonly succeeds?: string | undefined;
  /** Its key, where it is deleted for this one. */
  readonly replaces?: string | undefined;
  /** The fields that can't be changed, where it is deleted and recreated for them. */
  readonly recreates?: readonly string[] | undefined;
  /** Whether the pull request declares it in another way, where that is known. */
  readonly isDeclaredHere?: boolean | undefined;
  /** The server has said that it would refuse it. */
  readonly isRefused?: boolean | undefined;
  /** What keeps this from being what will happen; undefined where the server has said it. */
  readonly unsure?: string | undefined;
  /** Nobody could ask the server about it, nor compare it with a schema. */
  readonly isUnchecked?: true | undefined;
  readonly trace?: RowTrace | undefined;
  /** Said besides the trace, e.g. why an object stays. */
  readonly note?: string | undefined;
  /** Whose doing it is as a whole; undefined where a note says it already, or nobody knows. */
  readonly source?: ChangeSource | undefined;
  /** What changes in it, where there are two sides to compare. */
  readonly fields: readonly RowField[];
  readonly ignored: readonly RowIgnoredField[];
  readonly diff?: TextDiff | undefined;
  /** For how many objects the row stands; undefined for one. */
  readonly objects?: number | undefined;
  /** Nothing that anybody has to look at. */
  readonly harmless?: true | undefined;
}

/** `Deployment` of `Deployment shop/web`. */
export function kindOf(name: string): string {
  return name.split(" ")[0] ?? "";
}

/** Dangerous first, then what is new, then what changes. */
export const rowActions = [
  "delete",
  "replace",
  "create",
  "rename",
  "update",
  "keep",
  "ignore",
  "foreign",
] as const;
export type RowAction = (typeof rowActions)[number];

/** Why an object is what it is: the adapters that wrote it, and the arguments that differ between two commits. */
export interface RowTrace {
  /** Import paths of the adapters, outermost first. */
  readonly patterns: readonly string[];
  /** Where the QVS config uses the outermost one. */
  readonly line: number;
  /** Names of the arguments that the QVS config gives differently. */
  readonly changed: readonly string[];
  /** Where the fields that differ are written, when no argument explains them: then the adapter itself has changed. */
  readonly written: readonly Position[];
}

/** One field that will have another value. The values are in the diff. */
export interface RowField {
  /** `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  /** undefined where only two commits are compared. */
  readonly source?: ChangeSource | undefined;
  /** Who has written the live value, where that is not this deployment. */
  readonly by?: FieldAuthor | undefined;
  /** Whether it has a value now. */
  readonly wasSet: boolean;
  readonly notable?: NotableField | undefined;
  /** The value that the server gives it where it has none and none is declared, on one line: no diff shows it. */
  readonly filledIn?: string | undefined;
}

/** A field that stays as it is, since an annotation leaves it to others; values on one line. */
export interface RowIgnoredField {
  readonly path: string;
  /** undefined where it is not set. */
  readonly live?: string | undefined;
  readonly declared?: string | undefined;
}
