import type { ControllerDependencies } from "./controller-dependencies.ts";
import { dropDeployment, owns, reportDropped } from "./deployment-ownership.ts";
import type { CheckOutcome } from "./events.ts";
import { errorOutcome } from "./reconcile-outcome.ts";
import { parseDeploymentKey } from "./releases-index.ts";

/** Checks a due deployment and schedules its next check. Rejects only if a listener throws. */
export async function reconcileDeployment(
  deployment: string,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { options, schedule, membership, skipped, owned, inProgress } = dependencies;
  if (!membership.isMember()) {
    skipped.add(deployment);
    return;
  }
  if (!owns(deployment, dependencies)) return dropDeployment(deployment, dependencies);
  if (schedule.isTooEarly(deployment)) return;
  const { clock, onEvent } = options;
  const began = clock.elapsed();
  inProgress.add(deployment);
  const outcome = await checkDeployment(deployment, dependencies).finally(() =>
    inProgress.delete(deployment),
  );
  if (outcome === undefined) return reportDropped(deployment, dependencies);
  const milliseconds = clock.elapsed() - began;
  const again = owned.has(deployment) ? schedule.concluded(deployment, outcome) : 0;
  onEvent({ type: "reconciled", deployment, outcome, milliseconds, again });
  if (!owned.has(deployment)) reportDropped(deployment, dependencies);
}

/**
 * Returns the outcome of a check; undefined if the deployment no longer belongs to this replica.
 */
async function checkDeployment(
  deployment: string,
  dependencies: ControllerDependencies,
): Promise<CheckOutcome | undefined> {
  const { options, index, owned } = dependencies;
  // A deployment in progress changes many objects. This early return saves requests to the API
  // server until it ends.
  const unsettledReason = index.unsettledReason(deployment);
  if (unsettledReason !== undefined) return { type: "waiting", why: unsettledReason };
  try {
    // The watch starts before the read, so that no change between them is lost.
    await watchInventory(deployment, dependencies);
    if (!owned.has(deployment)) return undefined;
    return await options.reconcileOne(parseDeploymentKey(deployment), options.signal);
  } catch (error) {
    return options.signal.aborted ? { type: "stopped" } : errorOutcome(error);
  }
}

async function watchInventory(
  deployment: string,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { options, index, inventory, owned } = dependencies;
  const state = index.stateKey(deployment);
  if (owned.get(deployment) === state && state !== undefined) return;
  const entries = await options.readInventory(parseDeploymentKey(deployment));
  // Another replica might own the deployment by now, and then that replica watches it.
  if (!owned.has(deployment)) return;
  await inventory.set(deployment, entries);
  if (owned.has(deployment)) owned.set(deployment, state);
}
