import type {
  DeployedObject,
  DeploymentState,
  KeptObjectDetails,
} from "../../model/deployment-state.ts";
import { textAt } from "../../model/json.ts";
import { emptyHistory } from "../../model/release-history.ts";
import { keepingDetails } from "../../plan/deletions/kept-objects.ts";
import { listWorkloads } from "../../planning/read-owned.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { objectHistory } from "../../releases/history.ts";
import { concurrency } from "./list-recorded.ts";

/** The kept objects by object key. */
export type KeptInstances = ReadonlyMap<string, KeptObjectDetails>;

/**
 * Reads the details of objects with `keepOnDelete`: the revision, the age and the objects that
 * refer to it.
 */
export async function readKeptInstances(
  cluster: Cluster,
  states: readonly DeploymentState[],
): Promise<KeptInstances> {
  const kept = states.flatMap(({ instances }) => instances).filter(isKept);
  const namespaces = [...new Set(kept.map(({ id }) => id.namespace))].filter((name) => name !== "");
  const users = await listWorkloads(cluster, namespaces, concurrency);
  const nothing = objectHistory(emptyHistory);
  return new Map(
    kept.map(({ key, id, apiVersion, stage, keepOnDelete, live }) => {
      const entry = { id, apiVersion, stage, keepOnDelete, after: [] };
      const { since: _unknown, ...keeping } = keepingDetails({ key, entry, live }, nothing, users);
      return [key, { ...keeping, created: textAt(live, "metadata", "creationTimestamp") }];
    }),
  );
}

function isKept(
  instance: DeployedObject,
): instance is DeployedObject & { live: NonNullable<DeployedObject["live"]> } {
  return instance.keepOnDelete !== undefined && instance.live !== undefined;
}
