import {
  type DeploymentState,
  isHealthyDeployment,
} from "../../model/deployments/deployment-state.ts";
import type { OpenWorld } from "../../ports/world.ts";
import { stateText } from "../../report/queries/deployments.ts";
import { statusJson } from "../../report/queries/status.ts";
import { toUnsortedYaml } from "../../report/text/yaml.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { printYaml } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import type { Shell } from "../program/shell.ts";
import { requestedStatus, type StatusFlags, showStatus } from "../queries/show-status.ts";
import { type DeploymentEnd, runSeveral } from "./run-several.ts";
import { selectFlagged } from "./select.ts";

/** Shows the state of several deployments. In format yaml, it prints one list. */
export async function statusOfSeveral(
  world: OpenWorld,
  shell: Shell,
  { flags, several }: { readonly flags: StatusFlags; readonly several: FlaggedSelection },
): Promise<number> {
  const { format = "text", quiet = false } = flags;
  const use = { fromRecords: true, forPrograms: format !== "text" };
  const selected = await selectFlagged(world, shell, { flags, several }, use);
  if (selected === undefined) return exitCode.done;
  const states = new Map<string, DeploymentState>();
  const { code } = await runSeveral(world, shell, selected, {
    ...{ parallel: several.parallel, quiet, dependencies: "ignored" },
    prints: format === "yaml" ? "other" : format,
    runOne: async (one, deployment, section) => {
      const target = await one.target(deployment);
      const state = await requestedStatus(one, { deployment, target }, flags);
      states.set(deployment.name, state);
      if (format === "text") showStatus(state, flags, one, section);
      return statusEnd(state);
    },
  });
  if (format === "yaml") {
    const sorted = selected.chosen.flatMap(({ name }) => states.get(name) ?? []);
    printYaml(shell.stdout, toUnsortedYaml(sorted.map(statusJson)));
  }
  return code;
}

function statusEnd(state: DeploymentState): DeploymentEnd {
  const isHealthy = isHealthyDeployment(state);
  const unhealthy = state.instances.filter((each) => !each.isHealthy).length;
  return {
    ...{ code: isHealthy ? exitCode.done : exitCode.user, standing: "ready", changes: "" },
    ...{ group: isHealthy ? "healthy" : "not healthy", tone: isHealthy ? "added" : "removed" },
    outcome: unhealthy === 0 && isHealthy ? "healthy" : stateText(state),
    json: statusJson(state),
  };
}
