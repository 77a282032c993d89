import { type Command, Option } from "commander";
import { readStatus, watchStatus } from "../../commands/queries/status.ts";
import { parseDuration } from "../../inputs/parse.ts";
import { isHealthyDeployment } from "../../model/deployment-state.ts";
import { renderStatus, statusJson } from "../../report/queries/status.ts";
import { requireAnyFlag } from "../flags/require-flags.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../run-cli.ts";
import { locate, printAnswer, type QueryFlags, withQueryOptions } from "./answer.ts";

interface StatusFlags extends QueryFlags {
  readonly watch?: boolean;
  readonly timeout: number;
}

export function defineStatus(command: Command, run: RunCommand): void {
  requireAnyFlag(command, ["--timeout"], ["--watch"]);
  withQueryOptions(command)
    .option("--watch", "wait until all objects are ready, or for --timeout")
    .addOption(
      new Option("--timeout <duration>", "limit of --watch")
        .argParser(parseDuration)
        .default(600_000, "10m"),
    )
    .action((flags: StatusFlags) =>
      run(flags, async (world, shell) => {
        const located = await locate(world, shell, flags);
        const state =
          flags.watch === true
            ? await watchStatus(world, located, flags.timeout)
            : await readStatus(world, located);
        const now = world.clock.now().toISOString();
        printAnswer(shell, flags, {
          text: (looks) => renderStatus(state, { now, looks }),
          json: () => statusJson(state),
        });
        return isHealthyDeployment(state) ? exitCode.done : exitCode.user;
      }),
    );
}
