import { assignOwner } from "./assign-owner.ts";
import type { ControllerDependencies } from "./controller-dependencies.ts";

/** Handles a new, changed or deleted deployment. */
export function handleReleasesChanged(
  deployment: string,
  dependencies: ControllerDependencies,
): void {
  if (dependencies.index.stateKey(deployment) === undefined) {
    dropDeployment(deployment, dependencies);
    return;
  }
  if (owns(deployment, dependencies)) takeDeployment(deployment, dependencies);
  // A replica that isn't a member now gets no new deployments. It keeps its deployments and checks
  // them when it's a member again.
  if (dependencies.owned.has(deployment)) dependencies.schedule.released(deployment);
}

export function owns(deployment: string, { options, membership }: ControllerDependencies): boolean {
  return assignOwner(deployment, membership.members(), options.hash) === options.identity;
}

function takeDeployment(deployment: string, { owned, options }: ControllerDependencies): void {
  if (owned.has(deployment)) return;
  owned.set(deployment, undefined);
  options.onEvent({ type: "deployment-found", deployment });
}

export function dropDeployment(deployment: string, dependencies: ControllerDependencies): void {
  const { owned, skipped, schedule, inventory, inProgress } = dependencies;
  if (!owned.delete(deployment)) return;
  skipped.delete(deployment);
  schedule.forget(deployment);
  inventory.remove(deployment);
  // The drop is reported after the result of a check in progress.
  if (!inProgress.has(deployment)) reportDropped(deployment, dependencies);
}

export function reportDropped(deployment: string, { options }: ControllerDependencies): void {
  options.onEvent({ type: "deployment-dropped", deployment });
}

/**
 * Redistributes the deployments after a change of the members.
 * A replica that isn't a member any more keeps its watches. It usually is a member again when the
 * API server answers.
 */
export function redistributeDeployments(dependencies: ControllerDependencies): void {
  const { membership, index, owned, queue, skipped } = dependencies;
  if (!membership.isMember()) return;
  for (const deployment of index.deployments()) {
    const isOwned = owns(deployment, dependencies);
    if (!isOwned) dropDeployment(deployment, dependencies);
    else if (!owned.has(deployment) || skipped.delete(deployment)) {
      takeDeployment(deployment, dependencies);
      queue.add(deployment);
    }
  }
}
