import type { Command } from "commander";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * Refuses flags that mean something only beside one of some others (docs/reference/cli.md#common-behavior): whoever gives them alone
 * believes that they have an effect. All are named as they are written, such as `--resync`.
 */
export function refuseWithout(
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
    if (alone.length > 0) throw new UserError(alone.map((flag) => hasNoEffect(flag, others)));
  });
}

function hasNoEffect(flag: string, others: readonly string[]): Problem {
  const needed = others.join(" or ");
  return {
    code: "conflicting-flags",
    what: `${flag} has no effect without ${needed}`,
    fix: `Add ${needed}, or leave out ${flag}`,
    where: [],
  };
}
