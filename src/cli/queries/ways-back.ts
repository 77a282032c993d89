import { listReleases, waysBackAmong } from "../../commands/queries/releases.ts";
import type { Deployment } from "../../model/deployment.ts";
import { type UserError, userError } from "../../model/problems/errors.ts";
import { rollbackCommand } from "../../model/text/rollback-command.ts";
import type { World } from "../../ports/world.ts";
import { renderReleases } from "../../report/queries/releases.ts";
import { looksFor } from "../output/paint.ts";
import type { Shell } from "../shell.ts";

/**
 * Shows the releases to choose from, for a rollback without a target. Returns the error to throw.
 */
export async function showWaysBack(
  world: World,
  deployment: Deployment,
  { stderr }: Shell,
): Promise<UserError> {
  const target = await world.target(deployment);
  const listed = await listReleases(world, { target, deployment });
  const { name, namespace } = deployment;
  const title = "releases to go back to";
  const of = { deployment: name, namespace, now: world.clock.now().toISOString(), title };
  const shown = waysBackAmong(listed);
  if (shown.length > 0) stderr.write(renderReleases(shown, of, looksFor(stderr)));
  const { previous } = listed;
  const what = "Which release to go back to is not said";
  const fix =
    previous === undefined
      ? "No recorded release that succeeded would change anything; qvs releases lists all"
      : `Choose one with --to; the one before is ${rollbackCommand(deployment, previous)}`;
  return userError("ambiguous-selection", what, fix);
}
