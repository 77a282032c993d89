import type { ControllerDependencies } from "./controller-dependencies.ts";
import type { CheckOutcome } from "./events.ts";
import { errorOutcome } from "./reconcile-outcome.ts";
import { parseDeploymentKey } from "./releases-index.ts";

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

function owns(deployment: string, { options, membership }: ControllerDependencies): boolean {
  return assignOwner(deployment, membership.members(), options.hash) === options.identity;
}

function takeDeployment(deployment: string, { owned, options }: ControllerDependencies): void {
  if (owned.has(deployment)) return;
  owned.set(deployment, undefined);
  options.onEvent({ type: "deployment-found", deployment });
}

function dropDeployment(deployment: string, dependencies: ControllerDependencies): void {
  const { owned, skipped, schedule, inventory, inProgress } = dependencies;
  if (!owned.delete(deployment)) return;
  skipped.delete(deployment);
  schedule.forget(deployment);
  inventory.remove(deployment);
  // The drop is reported after the result of a check in progress.
  if (!inProgress.has(deployment)) reportDropped(deployment, dependencies);
}

function reportDropped(deployment: string, { options }: ControllerDependencies): void {
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

/** Returns hex digits of a fixed length, so that strings compare like numbers. */
type Hash = (text: string) => string;

/**
 * Returns the member that owns an item: the one with the highest hash of both names (rendezvous
 * hashing).
 * All replicas with the same members get the same result. If a member leaves, only its items move.
 * Returns undefined without members.
 */
export function assignOwner(
  item: string,
  members: Iterable<string>,
  hash: Hash,
): string | undefined {
  let best: { readonly member: string; readonly score: string } | undefined;
  for (const member of [...members].toSorted()) {
    const score = hash(`${member}\n${item}`);
    if (best === undefined || score > best.score) best = { member, score };
  }
  return best?.member;
}
