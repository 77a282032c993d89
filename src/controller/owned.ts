import type { Parts } from "./parts.ts";
import { ownerOf } from "./shard.ts";

/** Handles a new, changed or deleted deployment. */
export function releasesChanged(deployment: string, parts: Parts): void {
  if (parts.index.stateOf(deployment) === undefined) {
    drop(deployment, parts);
    return;
  }
  if (owns(deployment, parts)) own(deployment, parts);
  // A replica that isn't a member now gets no new deployments. It keeps its deployments and checks
  // them when it's a member again.
  if (parts.owned.has(deployment)) parts.schedule.released(deployment);
}

export function owns(deployment: string, { options, membership }: Parts): boolean {
  return ownerOf(deployment, membership.members(), options.hash) === options.identity;
}

function own(deployment: string, { owned, options }: Parts): void {
  if (owned.has(deployment)) return;
  owned.set(deployment, undefined);
  options.onEvent({ type: "deployment-found", deployment });
}

export function drop(deployment: string, parts: Parts): void {
  const { owned, skipped, schedule, inventory, underWay } = parts;
  if (!owned.delete(deployment)) return;
  skipped.delete(deployment);
  schedule.forget(deployment);
  inventory.remove(deployment);
  // The drop is reported after the result of a check in progress.
  if (!underWay.has(deployment)) tellDropped(deployment, parts);
}

export function tellDropped(deployment: string, { options }: Parts): void {
  options.onEvent({ type: "deployment-dropped", deployment });
}

/**
 * Redistributes the deployments after a change of the members.
 * A replica that isn't a member any more keeps its watches. It usually is a member again when the
 * API server answers.
 */
export function distribute(parts: Parts): void {
  const { membership, index, owned, queue, skipped } = parts;
  if (!membership.isMember()) return;
  for (const deployment of index.deployments()) {
    const isOurs = owns(deployment, parts);
    if (!isOurs) drop(deployment, parts);
    else if (!owned.has(deployment) || skipped.delete(deployment)) {
      own(deployment, parts);
      queue.add(deployment);
    }
  }
}
