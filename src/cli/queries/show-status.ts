import { readStatus, watchStatus } from "../../commands/queries/status.ts";
import type { LocatedDeployment } from "../../deploying/queries/locate-deployment.ts";
import type { DeploymentState } from "../../model/deployments/deployment-state.ts";
import type { World } from "../../ports/world.ts";
import { renderStatus, statusJson } from "../../report/queries/status.ts";
import type { Shell } from "../program/shell.ts";
import { printAnswer, type QueryFlags } from "./answer.ts";

export interface StatusFlags extends QueryFlags {
  readonly watch?: boolean;
  readonly timeout: number;
}

/** Returns the state now or, with --watch, when all objects are ready. */
export function requestedStatus(
  world: World,
  located: LocatedDeployment,
  { watch, timeout }: StatusFlags,
): Promise<DeploymentState> {
  return watch === true ? watchStatus(world, located, timeout) : readStatus(world, located);
}

export function showStatus(
  state: DeploymentState,
  flags: StatusFlags,
  world: World,
  shell: Shell,
): void {
  const now = world.clock.now().toISOString();
  printAnswer(shell, flags, {
    text: (looks) => renderStatus(state, { now, looks }),
    json: () => statusJson(state),
  });
}
