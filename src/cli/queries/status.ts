import { type Command, Option } from "commander";
import { parseDuration } from "../../inputs/parse.ts";
import { isHealthyDeployment } from "../../model/deployments/deployment-state.ts";
import { requireAnyFlag } from "../flags/options.ts";
import { type Several, splitSelection } from "../flags/several.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import { locate, withQueryOptions } from "./answer.ts";
import { requestedStatus, type StatusFlags, showStatus } from "./show-status.ts";

export function defineStatus(command: Command, run: RunCommand): void {
  requireAnyFlag(command, ["--timeout"], ["--watch"]);
  withQueryOptions(command, "several")
    .option("--watch", "wait until all objects are ready, or for --timeout")
    .addOption(
      new Option("--timeout <duration>", "limit of --watch")
        .argParser(parseDuration)
        .default(600_000, "10m"),
    )
    .action((given: Several<StatusFlags>) => {
      const { flags, several } = splitSelection<StatusFlags>(given);
      return run(flags, async (world, shell) => {
        if (several !== undefined) {
          const { statusOfSeveral } = await import("../several/status-several.ts");
          return statusOfSeveral(world, shell, { flags, several });
        }
        const state = await requestedStatus(world, await locate(world, shell, flags), flags);
        showStatus(state, flags, world, shell);
        return isHealthyDeployment(state) ? exitCode.done : exitCode.user;
      });
    });
}
