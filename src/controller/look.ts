import type { Outcome } from "./events.ts";
import { outcomeOfError } from "./outcome.ts";
import { drop, owns, tellDropped } from "./owned.ts";
import type { Parts } from "./parts.ts";
import { deploymentOfKey } from "./releases-index.ts";

/** Checks a due deployment and schedules its next check. Rejects only if a listener throws. */
export async function lookAt(deployment: string, parts: Parts): Promise<void> {
  const { options, schedule, membership, skipped, owned, underWay } = parts;
  if (!membership.isMember()) {
    skipped.add(deployment);
    return;
  }
  if (!owns(deployment, parts)) return drop(deployment, parts);
  if (schedule.isTooEarly(deployment)) return;
  const { clock, onEvent } = options;
  const began = clock.elapsed();
  underWay.add(deployment);
  const outcome = await outcomeOf(deployment, parts).finally(() => underWay.delete(deployment));
  if (outcome === undefined) return tellDropped(deployment, parts);
  const milliseconds = clock.elapsed() - began;
  const again = owned.has(deployment) ? schedule.concluded(deployment, outcome) : 0;
  onEvent({ type: "reconciled", deployment, outcome, milliseconds, again });
  if (!owned.has(deployment)) tellDropped(deployment, parts);
}

/**
 * Returns the outcome of a check; undefined if the deployment no longer belongs to this replica.
 */
async function outcomeOf(deployment: string, parts: Parts): Promise<Outcome | undefined> {
  const { options, index, owned } = parts;
  // A deployment in progress changes many objects. This early return saves requests to the API
  // server until it ends.
  const unsettled = index.unsettled(deployment);
  if (unsettled !== undefined) return { type: "waiting", why: unsettled };
  try {
    // The watch starts before the read, so that no change between them is lost.
    await watchInventory(deployment, parts);
    if (!owned.has(deployment)) return undefined;
    return await options.reconcileOne(deploymentOfKey(deployment), options.signal);
  } catch (error) {
    return options.signal.aborted ? { type: "stopped" } : outcomeOfError(error);
  }
}

async function watchInventory(deployment: string, parts: Parts): Promise<void> {
  const { options, index, inventory, owned } = parts;
  const state = index.stateOf(deployment);
  if (owned.get(deployment) === state && state !== undefined) return;
  const entries = await options.readInventory(deploymentOfKey(deployment));
  // Another replica might own the deployment by now, and then that replica watches it.
  if (!owned.has(deployment)) return;
  await inventory.set(deployment, entries);
  if (owned.has(deployment)) owned.set(deployment, state);
}
