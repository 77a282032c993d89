import type { InventoryEntry } from "../model/release.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { CheckOutcome, ControllerEvent } from "./events.ts";
import type { Membership } from "./membership.ts";
import type { WorkQueue } from "./queue.ts";
import type { DeploymentId, ReleasesIndex } from "./releases-index.ts";
import type { Schedule } from "./schedule.ts";
import type { InventoryWatch } from "./watch-inventory.ts";

export interface ControllerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hash: (text: string) => string;
  /** Stops the controller after the work in progress. */
  readonly signal: AbortSignal;
  /** The namespaces of the releases; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly isChosen: (id: DeploymentId) => boolean;
  /** The namespace and name of the group, for the Leases of the replicas. */
  readonly group: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseMs: number;
  readonly resyncMs: number;
  /** The number of deployments that are processed at the same time. */
  readonly concurrency: number;
  readInventory(id: DeploymentId): Promise<readonly InventoryEntry[]>;
  /** Checks one deployment and corrects it. Takes the deployment lock before it writes. */
  reconcileOne(id: DeploymentId, signal: AbortSignal): Promise<CheckOutcome>;
  onEvent(event: ControllerEvent): void;
}

/** The components and the state of a running controller. */
export interface ControllerDependencies {
  readonly options: ControllerOptions;
  readonly queue: WorkQueue;
  readonly schedule: Schedule;
  readonly index: ReleasesIndex;
  readonly inventory: InventoryWatch;
  readonly membership: Membership;
  /** The deployments of this replica → the watched state of their releases. */
  readonly owned: Map<string, string | undefined>;
  /** The deployments that were due while this replica wasn't a member. */
  readonly skipped: Set<string>;
  /** The deployments with a check in progress. */
  readonly inProgress: Set<string>;
}
