import type { Outcome } from "./events.ts";
import { outcomeOfError } from "./outcome.ts";
import { drop, owns, tellDropped } from "./owned.ts";
import type { Parts } from "./parts.ts";
import { deploymentOfKey } from "./releases-index.ts";

/** One look at a deployment that is due, and when it is due again. Rejects only if a listener throws. */
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

/** undefined where it is no longer this replica's to look at. */
async function outcomeOf(deployment: string, parts: Parts): Promise<Outcome | undefined> {
  const { options, index, owned } = parts;
  // A deployment that is under way changes much. Without looking, nothing is asked of the API server meanwhile.
  const unsettled = index.unsettled(deployment);
  if (unsettled !== undefined) return { type: "waiting", why: unsettled };
  try {
    // Watched before it is read, so that no change falls in between.
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
  // It may have become another replica's meanwhile, who watches it from now on.
  if (!owned.has(deployment)) return;
  await inventory.set(deployment, entries);
  if (owned.has(deployment)) owned.set(deployment, state);
}
