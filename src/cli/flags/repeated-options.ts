import type { Command } from "commander";

/**
 * Rejects a second --config, and a second --deployment unless the command collects several: a user
 * who names two wants both, but would get only the last one.
 * For other options the last value applies, as is usual. A script can therefore set defaults in
 * front of a user's flags.
 */
export function rejectRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    if (!["deployment", "config"].includes(option.name())) continue;
    if (option.parseArg !== undefined) continue;
    let given = 0;
    command.on(`option:${option.name()}`, () => {
      given += 1;
      if (given > 1) command.error(`error: option '${option.flags}' is given more than once`);
    });
  }
}
