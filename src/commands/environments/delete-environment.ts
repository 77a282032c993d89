import type { DeployOutcome } from "../../deploying/deploy-outcome.ts";
import { isOwnedBy, type LiveEnvironment } from "../../deploying/queries/read-environments.ts";
import type { EnvironmentState } from "../../model/deployments/environment-state.ts";
import type { EnvironmentOwner } from "../../model/deployments/preview-environment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { emptyDesiredState } from "../../planning/desired-state.ts";
import type { World } from "../../ports/world.ts";
import { environmentState } from "../../releases/environment-state.ts";
import { notOwnProblem } from "../../releases/mismatches.ts";
import { deleteDeployment } from "../delete-deployment.ts";
import { type EnvironmentRun, environmentDeletionRequest } from "./create-environment.ts";

/** The repository and the deployment list that own environments. */
export type EnvironmentList = Pick<EnvironmentOwner, "repository" | "list">;

/**
 * Returns the reason to keep an environment whose record was just read again; undefined to delete
 * it.
 */
export type KeepCheck = (state: EnvironmentState) => Promise<Problem | undefined>;

type EnvironmentDeletion = DeployOutcome | { readonly type: "nothing left" };

/**
 * Deletes one environment with its namespace, by its inventory.
 * The namespace stays if it contains objects of others; a later run deletes it then. Throws a
 * UserError if the environment belongs to someone else.
 */
export async function deleteEnvironment(
  world: World,
  found: LiveEnvironment,
  owner: EnvironmentList,
  request: EnvironmentRun,
  keepReason: KeepCheck = async () => undefined,
): Promise<EnvironmentDeletion> {
  const { deployment } = found;
  const requireOwn = (state: EnvironmentState | undefined) => {
    if (state !== undefined && isOwnedBy(state, owner)) return state;
    const here = { ...found.environment, ...owner };
    throw new UserError([notOwnProblem(deployment, state?.environment, here)]);
  };
  requireOwn(found);
  return deleteDeployment(
    world,
    deployment,
    environmentDeletionRequest(request),
    { ...emptyDesiredState, isOwnEnvironment: true },
    async (recorded) =>
      keepReason(requireOwn(environmentState(recorded, world.clock.now().toISOString()))),
  );
}
