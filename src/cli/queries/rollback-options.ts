import { listReleases, listRollbackOptions } from "../../commands/queries/releases.ts";
import type { Deployment } from "../../model/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import { rollbackCommand } from "../../model/text/qvs-commands.ts";
import type { World } from "../../ports/world.ts";
import { terminal } from "../../redaction/terminal.ts";
import { renderReleases } from "../../report/queries/releases.ts";
import { outputLooks } from "../output/paint.ts";
import type { Shell } from "../shell.ts";

/**
 * Shows the releases to choose from, for a rollback without a target. Returns the error to throw.
 */
export async function showRollbackOptions(
  world: World,
  deployment: Deployment,
  { stderr }: Shell,
): Promise<UserError> {
  const target = await world.target(deployment);
  const listed = await listReleases(world, { target, deployment });
  const { name, namespace } = deployment;
  const title = "releases to roll back to";
  const of = { deployment: name, namespace, now: world.clock.now().toISOString(), title };
  const shown = listRollbackOptions(listed);
  // The error follows.
  if (shown.length > 0) stderr.write(terminal`${renderReleases(shown, of, outputLooks(stderr))}\n`);
  const { previous } = listed;
  const about =
    previous === undefined
      ? {
          why: "No recorded release that succeeded has other objects",
          fix: "List all releases with qvs releases",
        }
      : {
          fix: "Choose a release with --to",
          otherwise: [`restore the previous release: ${rollbackCommand(deployment, previous)}`],
        };
  const what = "The release to roll back to isn't set";
  return new UserError([{ code: "ambiguous-selection", where: [], what, ...about }]);
}
