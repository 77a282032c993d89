import type { LayoutNode, Manifest } from "../model/compilation.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { InputConfig, Release } from "../model/release.ts";

/** What is to be there: compiled just now, or recorded by an earlier release. */
export interface DesiredState {
  readonly manifests: readonly Manifest[];
  /** What this program would leave out, which keeps the rest from being deployed. */
  readonly unsupported: readonly Problem[];
  readonly input: InputConfig;
  readonly layout: LayoutNode;
  readonly hides?: Plan["hides"];
  /** What compiling it gave reason to doubt; nothing for a recorded release. */
  readonly warnings?: readonly Problem[];
  readonly rollbackOf: number | undefined;
  /** Set where this running release is put right, which makes no new one: `rollbackOf` is its own number. */
  readonly corrects?: Release | undefined;
  /** Set where nothing is to be there any more, neither objects nor releases. */
  readonly deletes?: true;
  /** Set where a commit says that it is deleted, which must then be newer than what runs. */
  readonly removedByCommit?: true;
  /** The objects that are planned, by their keys; undefined for all. The others stay as they are, declared or not. */
  readonly onlyKeys?: ReadonlySet<string> | undefined;
}

/** What runs is put right: that is no way back. */
export function goesBackTo({ rollbackOf, corrects }: DesiredState): number | undefined {
  return corrects === undefined ? rollbackOf : undefined;
}

/** Whether a commit says what is to be there: neither a record nor nobody. */
export function isOfCommit({ rollbackOf, deletes }: DesiredState): boolean {
  return rollbackOf === undefined && deletes === undefined;
}
