import { type ReconcileController, startController } from "../../../src/controller/controller.ts";
import type { CheckOutcome, ControllerEvent } from "../../../src/controller/events.ts";
import type { DeploymentId } from "../../../src/controller/releases-index.ts";
import { deploymentLabel } from "../../../src/model/annotations.ts";
import type { InventoryEntry } from "../../../src/model/deployments/release.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { sha256 } from "../../../src/world/sha256.ts";
import { type FakeCluster, fakeCluster } from "../../support/fake-cluster.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

/** Creates the Secret of a release, with its metadata only. */
export function release(deployment: string, revision: number, status = "succeeded"): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `qvs.${deployment}.v${revision}`,
      namespace: "shop",
      labels: {
        [deploymentLabel]: deployment,
        "vs.axis-dev.io/revision": String(revision),
        "vs.axis-dev.io/status": status,
      },
    },
  };
}

export function configMap(name: string, deployment: string, value = "right"): KubeObject {
  const labels = { [deploymentLabel]: deployment };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop", labels },
    data: { value },
  };
}

function entry(name: string): InventoryEntry {
  const id = { group: "", kind: "ConfigMap", namespace: "shop", name };
  return { id, apiVersion: "v1", stage: "app", after: [] };
}

export interface Running {
  readonly controller: ReconcileController;
  readonly cluster: FakeCluster;
  readonly clock: Clock;
  /** Checks of deployments, such as `12 s: shop/web unchanged`. */
  readonly looks: readonly string[];
  readonly events: readonly ControllerEvent[];
  stop(): Promise<void>;
}

export interface Settings {
  readonly cluster?: FakeCluster;
  readonly clock?: Clock;
  readonly identity?: string;
  readonly resyncMs?: number;
  /** The time to read an inventory, in milliseconds. */
  readonly readMs?: number;
  readonly inventories: Readonly<Record<string, readonly string[]>>;
  readonly onReconciled?: () => void;
  readonly look?: (id: DeploymentId) => Promise<CheckOutcome> | CheckOutcome;
}

export function run(settings: Settings): Running {
  const { inventories, readMs = 0, look = () => ({ type: "unchanged" }) } = settings;
  const { cluster = fakeCluster(), clock = virtualClock(), resyncMs = 3_600_000 } = settings;
  const looks: string[] = [];
  const events: ControllerEvent[] = [];
  const stop = new AbortController();
  const controller = startController({
    cluster,
    clock,
    random: () => 0.5,
    hash: sha256,
    signal: stop.signal,
    namespaces: ["shop"],
    isChosen: () => true,
    group: { namespace: "shop", name: "qvs" },
    identity: settings.identity ?? "one",
    leaseMs: 15_000,
    resyncMs,
    concurrency: 2,
    readInventory: async ({ name }) => {
      if (readMs > 0) await clock.sleep(readMs);
      return (inventories[name] ?? []).map(entry);
    },
    reconcileOne: async (id) => look(id),
    onEvent: (event) => {
      events.push(event);
      if (event.type !== "reconciled") return;
      settings.onReconciled?.();
      const seconds = Math.round(
        (clock.now().getTime() - Date.parse("2026-01-01T00:00:00Z")) / 1000,
      );
      looks.push(`${seconds} s: ${event.deployment} ${event.outcome.type}`);
    },
  });
  return {
    controller,
    cluster,
    clock,
    looks,
    events,
    stop: async () => {
      stop.abort();
      await controller.ended;
    },
  };
}
