import type { Command } from "commander";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * Rejects flags that have no effect without one of some other flags
 * (docs/reference/cli.md#common-behavior).
 * Without an error, a user would believe that they have an effect. The names are written as on the
 * command line, such as `--resync`.
 */
export function requireAnyFlag(
  command: Command,
  flags: readonly string[],
  others: readonly string[],
): void {
  const isGiven = (flag: string) => {
    const option = command.options.find(({ long }) => long === flag);
    if (option === undefined) throw new Error(`${command.name()} has no ${flag}`);
    return command.getOptionValueSource(option.attributeName()) === "cli";
  };
  command.hook("preAction", () => {
    const alone = others.some(isGiven) ? [] : flags.filter(isGiven);
    if (alone.length > 0) throw new UserError(alone.map((flag) => noEffectProblem(flag, others)));
  });
}

function noEffectProblem(flag: string, others: readonly string[]): Problem {
  const needed = others.join(" or ");
  return {
    code: "conflicting-flags",
    what: `${flag} has no effect without ${needed}`,
    fix: `Add ${needed}`,
    otherwise: [`remove ${flag}`],
    where: [],
  };
}
