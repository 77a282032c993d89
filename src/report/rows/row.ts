import type { ChangeSource, FieldAuthor } from "../../model/plan/attribution.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import type { NotableField } from "./notable-changes.ts";

/**
 * One object of a deployment that a reader should review, with the action, the reason and the
 * certainty.
 * It is plain data. All of it can be shown.
 */
export interface Row {
  readonly action: RowAction;
  /**
   * The key of the change or deletion. Undefined for a row of several objects, or without a plan.
   */
  readonly key?: string | undefined;
  readonly name: string;
  /** The object that it replaces. qvs deletes that object after this one is ready. */
  readonly succeeds?: string | undefined;
  /** The key of that object, if the deployment deletes it. */
  readonly replaces?: string | undefined;
  /** The immutable fields that force a recreation. */
  readonly recreates?: readonly string[] | undefined;
  /** Set if the object is recreated and its Pods stay. */
  readonly keepsPods?: true | undefined;
  /** True if the pull request changes its declaration. Undefined if unknown. */
  readonly isDeclaredHere?: boolean | undefined;
  /** True if the API server would reject it. */
  readonly isRefused?: boolean | undefined;
  /** The reason why the prediction is uncertain. Undefined if it is the API server's answer. */
  readonly unsure?: string | undefined;
  /** True if the change is unchecked. */
  readonly isUnchecked?: true | undefined;
  readonly trace?: RowTrace | undefined;
  /** Further information, such as the reason why an object stays. */
  readonly note?: string | undefined;
  /** The source of the change as a whole. Undefined if a note names it, or if it is unknown. */
  readonly source?: ChangeSource | undefined;
  /** The changed fields, if there are two sides to compare. */
  readonly fields: readonly RowField[];
  readonly ignored: readonly RowIgnoredField[];
  readonly diff?: TextDiff | undefined;
  /** The number of objects in the row. Undefined for one. */
  readonly objects?: number | undefined;
  /** True if the row needs no review. */
  readonly harmless?: true | undefined;
}

/** Returns the kind in a name: `Deployment` for `Deployment shop/web`. */
export function rowKind(name: string): string {
  return name.split(" ")[0] ?? "";
}

/** Returns the new name of a renamed object, without the kind and namespace that it keeps. */
export function newName(before: string, name: string): string {
  const kept = /^\S+ (?:[^/]*\/)?/.exec(name)?.[0] ?? "";
  return before.startsWith(kept) ? name.slice(kept.length) : name;
}

/** The actions in display order: deletions first, then new objects, then updates. */
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

/** The origin of an object: its adapters, and the arguments that differ between two commits. */
export interface RowTrace {
  /** The import paths of the adapters, outermost first. */
  readonly patterns: readonly string[];
  /** The line of the config that uses the outermost adapter. */
  readonly line: number;
  /** The names of the changed arguments in the config. */
  readonly changed: readonly string[];
  /**
   * The places of the changed fields in adapters if no argument explains them. The adapter itself
   * has then changed.
   */
  readonly written: readonly Position[];
  /**
   * The places of the patches and the other parts of kustomizations that wrote fields of the
   * object, one for each file.
   */
  readonly patched?: readonly Position[] | undefined;
  /**
   * The lines of files that declare the fields that differ from the live object. Only without a
   * base commit.
   */
  readonly declared?: readonly Position[] | undefined;
}

/** A field whose value changes. The values are in the diff. */
export interface RowField {
  /** The path, such as `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  /** The source of the change. Undefined if only two commits are compared. */
  readonly source?: ChangeSource | undefined;
  /** The author of the live value, if it isn't this deployment. */
  readonly by?: FieldAuthor | undefined;
  /** True if the live object has a value. */
  readonly wasSet: boolean;
  readonly notable?: NotableField | undefined;
  /**
   * The value, on one line, that the API server fills in because none is declared. No diff shows
   * it.
   */
  readonly filledIn?: string | undefined;
}

/** A field that an annotation leaves to another field manager. The values are on one line. */
export interface RowIgnoredField {
  readonly path: string;
  /** Undefined if the field isn't set. */
  readonly live?: string | undefined;
  readonly declared?: string | undefined;
}
