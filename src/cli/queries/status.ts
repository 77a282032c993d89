import type { Command } from "commander";
import { readStatus } from "../../commands/status.ts";
import { isHealthyDeployment } from "../../model/queries.ts";
import { renderStatus, statusJson } from "../../report/queries/status.ts";
import { exitCode } from "../failure.ts";
import type { RunCommand } from "../run.ts";
import { locate, printAnswer, type QueryFlags, withQueryOptions } from "./answer.ts";

export function addStatus(program: Command, run: RunCommand): void {
  const command = program
    .command("status")
    .description("what runs now, object by object; exits with 1 when it is not healthy");
  withQueryOptions(command).action((flags: QueryFlags) =>
    run(flags, async (world, shell) => {
      const state = await readStatus(world, await locate(world, shell, flags));
      const now = world.clock.now().toISOString();
      printAnswer(shell, flags, {
        text: (looks) => renderStatus(state, { now, looks }),
        json: () => statusJson(state),
      });
      return isHealthyDeployment(state) ? exitCode.done : exitCode.user;
    }),
  );
}
