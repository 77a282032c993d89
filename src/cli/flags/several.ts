import type { Command } from "commander";
import { parseCount } from "../../inputs/parse.ts";
import { isNamePattern } from "../../model/deployments/deployment.ts";
import { userError } from "../../model/problems/errors.ts";

/** The flags that select several deployments. */
interface SeveralFlags {
  readonly deployment?: readonly string[];
  readonly all?: boolean;
  readonly changed?: string;
  readonly parallel?: number;
}

/** The flags of a command that accepts several deployments. */
export type Several<F> = Omit<F, keyof SeveralFlags> & SeveralFlags;

/** The selection of several deployments by flags. */
export interface FlaggedSelection {
  /** Names and glob patterns. An empty list selects all deployments. */
  readonly patterns: readonly string[];
  readonly changedSince: string | undefined;
  readonly parallel: number | undefined;
}

export function withSeveralOptions(command: Command): Command {
  return command
    .option(
      "-d, --deployment <pattern>",
      "name of the deployment, or a pattern such as 'shop-*'; repeatable (default: the only one)",
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option("-a, --all", "every deployment of the repository")
    .option(
      "--changed <commit>",
      "deployments that differ between this commit and the working tree",
    )
    .option(
      "--parallel <number>",
      "number of simultaneous deployments, if there are several (default: 4)",
      parseCount,
    );
}

/**
 * Separates the selection of several deployments from the other flags. It is undefined for one
 * deployment by its name, and without flags. The flags alone decide, and not the number of matches,
 * so that scripts always read the same format.
 */
export function splitSelection<F extends { readonly deployment?: string }>(
  given: Several<F>,
): { readonly flags: F; readonly several: FlaggedSelection | undefined } {
  const { deployment: names = [], all = false, changed, parallel, ...rest } = given;
  const [only, ...others] = names;
  if (all && (names.length > 0 || changed !== undefined)) throw conflictsWithAll(names.length > 0);
  const isOne = only === undefined || (others.length === 0 && !isNamePattern(only));
  if (isOne && !all && changed === undefined) {
    if (parallel !== undefined) throw parallelWithOne();
    const one = only === undefined ? rest : { ...rest, deployment: only };
    return { flags: one as unknown as F, several: undefined };
  }
  const several = { patterns: [...new Set(names)], changedSince: changed, parallel };
  return { flags: rest as unknown as F, several };
}

function conflictsWithAll(isNamed: boolean) {
  const other = isNamed ? "--deployment" : "--changed";
  return userError(
    "conflicting-flags",
    `--all can't be combined with ${other}`,
    `Remove --all or ${other}`,
  );
}

function parallelWithOne() {
  return userError(
    "conflicting-flags",
    "--parallel has no effect with one deployment",
    "Remove --parallel, or select several deployments with --all, --changed or patterns",
  );
}
