import { at, type Json, type JsonObject, listAt, objectAt, textAt } from "../../model/json.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import type { Obstacle, SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import type { Workload } from "./workload.ts";

/** Describes why one more Pod has no place, with the number of nodes for each reason. */
export function standstillText({ nodes, usable, reasons }: Standstill): string {
  if (reasons === "") return nodes === 0 ? "The cluster has no nodes" : "No Pod waits for a place";
  if (usable === 0) {
    const subject = nodes === 1 ? "The only node isn't" : `None of the ${nodes} nodes is`;
    return `${subject} suitable: ${reasons}`;
  }
  const suitable = usable === nodes ? "" : "suitable ";
  const among = usable === nodes ? "" : ` (of ${nodes})`;
  return usable === 1
    ? `The only ${suitable}node${among} can't take one more Pod: ${reasons}`
    : `None of the ${usable} ${suitable}nodes${among} can take one more Pod: ${reasons}`;
}

/** Returns a factor outside the cluster's objects that decides where these Pods run. */
export function externalPlacement(pod: Json | undefined): string | undefined {
  const scheduler = textAt(pod, "schedulerName") ?? "default-scheduler";
  if (scheduler !== "default-scheduler") return `Another scheduler places its Pods: ${scheduler}`;
  if (listAt(pod, "schedulingGates").length > 0) return "Its Pods wait for scheduling gates";
  if (listAt(pod, "resourceClaims").length > 0) return "Its Pods claim devices (resourceClaims)";
  return undefined;
}

/** The reasons why one more Pod has no place. */
export interface Standstill {
  readonly nodes: number;
  /** The number of nodes that the Pod could use if they were empty. */
  readonly usable: number;
  /** Each reason with its number of nodes; empty if no Pod waits. */
  readonly reasons: string;
  /** The obstacle on most nodes. */
  readonly mainObstacle?: Obstacle | undefined;
}

export function describeStandstill(
  cluster: SimulatedCluster,
  waiting: PodShape | undefined,
): Standstill {
  const nodes = cluster.nodes.length;
  if (waiting === undefined) return { nodes, usable: nodes, reasons: "" };
  const sorted = countObstacles(cluster, waiting);
  const reasons = sorted.map(({ text, count }) => `${count} ${text}`).join(", ");
  return {
    nodes,
    usable: usableNodes(cluster, waiting),
    reasons,
    mainObstacle: sorted[0]?.obstacle,
  };
}

function usableNodes(cluster: SimulatedCluster, shape: PodShape): number {
  return cluster.nodes.filter((node) => {
    const obstacle = cluster.obstacle(shape, node);
    return obstacle?.type !== "not chosen" && obstacle?.type !== "tainted";
  }).length;
}

/**
 * Returns the reasons why no node takes a Pod, with their numbers of nodes, the most frequent
 * first.
 * Nodes that the Pod can never use count only if there are no others.
 */
function countObstacles(
  cluster: SimulatedCluster,
  shape: PodShape,
): readonly { readonly text: string; readonly count: number; readonly obstacle: Obstacle }[] {
  const counts = new Map<string, { readonly count: number; readonly obstacle: Obstacle }>();
  const isUsed = usableNodes(cluster, shape) > 0;
  for (const node of cluster.nodes) {
    const obstacle = cluster.obstacle(shape, node);
    if (obstacle === undefined) continue;
    if (isUsed && (obstacle.type === "not chosen" || obstacle.type === "tainted")) continue;
    const text = describeObstacle(obstacle);
    counts.set(text, { count: (counts.get(text)?.count ?? 0) + 1, obstacle });
  }
  return [...counts]
    .map(([text, each]) => ({ text, ...each }))
    .toSorted((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
}

function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.type) {
    case "not chosen":
      return "excluded by its node rules";
    case "tainted":
      return "with a taint that it doesn't tolerate";
    case "affinity":
      return "without a Pod that its affinity requires";
    case "spread":
      return "where its spread constraints allow no more Pods";
    case "claim":
      return "while another Pod uses a claim that only one Pod can use";
    case "volume":
      return "without a volume for its claims";
    case "attachments":
      return `where ${obstacle.driver} can't attach more volumes`;
    case "host port":
      return "where its host port is in use";
    case "room":
      return obstacle.resource === "pods"
        ? "with the maximum number of Pods"
        : `without enough ${obstacle.resource}`;
    case "anti-affinity":
      return obstacle.of === "new"
        ? `excluded by its anti-affinity (${obstacle.topologyKey})`
        : `excluded by the anti-affinity of running Pods (${obstacle.topologyKey})`;
  }
}

/** A change of the spec that lets a rollout complete, and its description. */
export interface RolloutFix {
  readonly spec: JsonObject;
  readonly fix: string;
  readonly paste: readonly string[];
}

/**
 * Lists possible fixes, the least disruptive first.
 * The simulation tests each fix before a finding suggests it.
 */
export function rolloutFixes({ kind, spec }: Workload): readonly RolloutFix[] {
  switch (kind) {
    case "Deployment":
      return [
        strategyFix(spec, "rollingUpdate", { maxUnavailable: 1 }, stopOldFirst),
        strategyFix(spec, "rollingUpdate", { maxSurge: 0, maxUnavailable: 1 }, stopOldFirst),
        replacementFix(
          spec,
          "strategy",
          { type: "Recreate" },
          "Set the strategy to Recreate, without rollingUpdate: it stops all old Pods before the new ones start",
        ),
      ];
    case "Rollout":
      return at(spec, "strategy", "canary") === undefined
        ? []
        : [
            strategyFix(spec, "canary", { maxSurge: 0 }, noSurge),
            strategyFix(spec, "canary", { maxSurge: 0, maxUnavailable: 1 }, stopOldFirst),
            strategyFix(spec, "canary", { maxUnavailable: 1 }, stopOldFirst),
          ];
    case "DaemonSet":
      return [
        {
          ...replacementFix(
            spec,
            "updateStrategy",
            { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
            stopOldFirst,
          ),
          paste: specLines([
            "updateStrategy:",
            "  rollingUpdate:",
            "    maxSurge: 0",
            "    maxUnavailable: 1",
          ]),
        },
      ];
    case "StatefulSet":
      return [];
  }
}

const stopOldFirst = "Set maxUnavailable to 1, so that one old Pod stops before a new one starts";
const noSurge = "Set maxSurge to 0, so that an old Pod stops before a new one starts";

function strategyFix(spec: JsonObject, name: string, fields: JsonObject, fix: string): RolloutFix {
  const strategy = objectAt(spec, "strategy");
  const changed = { ...strategy, [name]: { ...objectAt(strategy, name), ...fields } };
  const lines = Object.entries(fields).map(
    ([field, value]) => `    ${field}: ${scalarText(value)}`,
  );
  const paste = specLines(["strategy:", `  ${name}:`, ...lines]);
  return { spec: { ...spec, strategy: changed }, fix, paste };
}

function replacementFix(
  spec: JsonObject,
  name: string,
  value: JsonObject,
  fix: string,
): RolloutFix {
  const lines = Object.entries(value).map(([field, each]) => `  ${field}: ${scalarText(each)}`);
  return { spec: { ...spec, [name]: value }, fix, paste: specLines([`${name}:`, ...lines]) };
}

/** Adds the path to lines that a user pastes. */
export function specLines(lines: readonly string[]): readonly string[] {
  return ["spec:", ...lines.map((line) => `  ${line}`)];
}

function scalarText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
