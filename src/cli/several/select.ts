import {
  type SelectedDeployments,
  selectSeveral,
} from "../../commands/several/select-deployments.ts";
import type { World } from "../../ports/world.ts";
import { notDeleted } from "../../sources/removed-by-push.ts";
import { type CommonOptions, toSelection } from "../flags/options.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { print } from "../output/print.ts";
import { printProblem } from "../output/show-problem.ts";
import type { Shell } from "../program/shell.ts";

export interface SelectionUse {
  /** True if the command needs only the releases in the cluster, and no config. */
  readonly fromRecords: boolean;
  /** True if stdout contains only documents for programs. */
  readonly forPrograms: boolean;
  /** True if a removed deployment stays in the cluster although its entry allows its deletion. */
  readonly leavesRemoved?: boolean;
}

/**
 * Returns the deployments that the flags select. Undefined, after a message, if none of them has
 * changed.
 */
export async function selectFlagged(
  world: World,
  shell: Shell,
  { flags, several }: { readonly flags: CommonOptions; readonly several: FlaggedSelection },
  { fromRecords, forPrograms, leavesRemoved = false }: SelectionUse,
): Promise<SelectedDeployments | undefined> {
  const { patterns, changedSince } = several;
  const { deployment: _, ...overrides } = toSelection(world, shell, flags);
  const { param: inline = [], quiet = false } = flags;
  const selection = { patterns, changedSince, overrides, inline, fromRecords };
  const selected = await selectSeveral(world, selection);
  if (!quiet) {
    const removed = leavesRemoved
      ? selected.removed.map((each) => notDeleted(each, "qvs deploy deletes no removed deployment"))
      : [];
    for (const notice of [...selected.notices, ...removed])
      printProblem(shell.stderr, notice, "note");
  }
  if (selected.chosen.length > 0) return selected;
  const which = patterns.length === 0 ? "No deployment" : "No selected deployment";
  print(forPrograms ? shell.stderr : shell.stdout, `${which} has changed since ${changedSince}.`);
  return undefined;
}
