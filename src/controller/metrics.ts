import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ControllerState } from "./controller.ts";
import type { CheckOutcome, ControllerEvent } from "./events.ts";

/** The metrics for Prometheus (docs/reference/reconcile.md#metrics). */
export interface Metrics {
  record(event: ControllerEvent): void;
  text(): Promise<string>;
  readonly contentType: string;
}

/** The gauges that read the controller's state on request, with name and help text. */
const gauges: readonly (readonly [string, string, (state: ControllerState) => number])[] = [
  ["qvs_member", "1 if this replica is a member of its group, else 0", (s) => Number(s.isMember)],
  ["qvs_members", "Replicas that share the work, as seen by this replica", (s) => s.members],
  ["qvs_deployments_known", "Deployments with releases, across all replicas", (s) => s.deployments],
  ["qvs_deployments_owned", "Deployments that this replica works on", (s) => s.owned],
  ["qvs_objects_watched", "Objects of this replica's deployments", (s) => s.objects],
  ["qvs_watches", "Open watches, each for one kind", (s) => s.watches],
  ["qvs_queue_depth", "Deployments that are due and wait for a worker", (s) => s.waiting],
];

/** The buckets of the durations, in seconds. */
const durations = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function createMetrics(state: () => ControllerState): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const [name, help, read] of gauges) {
    new Gauge({ name, help, registers, collect: collectGauge(() => read(state())) });
  }
  const labelNames = ["namespace", "deployment"];
  const reconciles = new Counter({
    name: "qvs_reconcile_total",
    help: "Checks of a deployment, by outcome",
    labelNames: [...labelNames, "outcome"],
    registers,
  });
  const corrected = new Counter({
    name: "qvs_corrected_objects_total",
    help: "Corrected objects",
    labelNames,
    registers,
  });
  const seconds = new Histogram({
    name: "qvs_reconcile_duration_seconds",
    help: "Duration of one check of a deployment, including corrections",
    buckets: durations,
    registers,
  });
  const troubles = new Counter({
    name: "qvs_troubles_total",
    help: "Interrupted watches and failed Lease renewals",
    labelNames: ["of"],
    registers,
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    record(event) {
      switch (event.type) {
        case "reconciled": {
          const labels = deploymentLabels(event.deployment);
          reconciles.inc({ ...labels, outcome: event.outcome.type });
          seconds.observe(event.milliseconds / 1000);
          if ("objects" in event.outcome) corrected.inc(labels, event.outcome.objects.length);
          return;
        }
        case "deployment-dropped":
          // Another replica continues the counters, or the deployment no longer exists.
          for (const outcome of outcomes)
            reconciles.remove({ ...deploymentLabels(event.deployment), outcome });
          corrected.remove(deploymentLabels(event.deployment));
          return;
        case "watch-trouble":
        case "lease-trouble":
          return troubles.inc({ of: event.type === "watch-trouble" ? "watch" : "lease" });
        case "started":
        case "namespaces":
        case "members":
        case "deployment-found":
        case "stopping":
        case "stopped":
          return;
      }
    },
  };
}

const outcomes = [
  "unchanged",
  "corrected",
  "overtaken",
  "waiting",
  "locked",
  "unreachable",
  "frozen",
  "refused",
  "failed",
  "stopped",
] satisfies readonly CheckOutcome["type"][];

function collectGauge(read: () => number) {
  return function collect(this: Gauge): void {
    this.set(read());
  };
}

function deploymentLabels(deployment: string) {
  const [namespace = "", name = ""] = deployment.split("/");
  return { namespace, deployment: name };
}
