import type { InventoryEntry } from "../model/release.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ControllerEvent, Outcome } from "./events.ts";
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
  /** Ends it: what is under way is finished first. */
  readonly signal: AbortSignal;
  /** Where releases are looked for; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly isChosen: (id: DeploymentId) => boolean;
  /** The Leases of the replicas. */
  readonly group: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseMs: number;
  readonly resyncMs: number;
  /** How many deployments are worked on at once. */
  readonly concurrency: number;
  readInventory(id: DeploymentId): Promise<readonly InventoryEntry[]>;
  /** Looks at one deployment and corrects it. Takes the lock of the deployment before it writes. */
  reconcileOne(id: DeploymentId, signal: AbortSignal): Promise<Outcome>;
  onEvent(event: ControllerEvent): void;
}

/** All that a controller is made of, once it runs. */
export interface Parts {
  readonly options: ControllerOptions;
  readonly queue: WorkQueue;
  readonly schedule: Schedule;
  readonly index: ReleasesIndex;
  readonly inventory: InventoryWatch;
  readonly membership: Membership;
  /** The deployments that are this replica's to work on → the state of their releases that is watched. */
  readonly owned: Map<string, string | undefined>;
  /** Those that were due while this replica was no member. */
  readonly skipped: Set<string>;
  /** Those that are looked at just now. */
  readonly underWay: Set<string>;
}
