import { at, type JsonObject } from "../../model/json.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import type { ClusterFacts } from "../facts.ts";
import { fieldBehind } from "../field-of.ts";
import { type ClusterState, clusterState, withPlanned } from "../rollouts/cluster-state.ts";
import { missingForOnePod } from "../rollouts/missing-facts.ts";
import { describeStandstill, type Standstill } from "../rollouts/obstacles.ts";
import { numbers, placedByOthers } from "../rollouts/place-words.ts";
import { type PodMaker, podMakersOf } from "../rollouts/pod-makers.ts";
import type { PreflightInput } from "../rule.ts";
import { createBoard } from "../scheduling/board.ts";
import { labelsAt } from "../scheduling/selectors.ts";
import { refusedKeys } from "./refused-pods.ts";
import { sentence } from "./sentence.ts";

/**
 * Reports new Jobs and similar objects whose Pods no node could ever run, even if it were empty.
 * A node that is only full now might have room later.
 */
export function podsWithoutPlace(input: PreflightInput): readonly Finding[] {
  const refused = refusedKeys(input);
  const makers = podMakersOf(input.plan).filter(({ change }) => !refused.has(change.key));
  if (makers.length === 0) return [];
  const planned = withPlanned(input.facts, input.plan);
  const state = clusterState({ ...planned, pods: { known: true, value: [] } }, input.plan);
  return makers.flatMap((maker) => judge(maker, state, planned, input));
}

function judge(
  maker: PodMaker,
  state: ClusterState,
  facts: ClusterFacts,
  input: PreflightInput,
): readonly Finding[] {
  const missing = missingForOnePod(maker, facts);
  const why = missing?.why ?? placedByOthers(maker.pod);
  if (why !== undefined) return [unknown(maker, why, missing?.fix ?? "", input)];
  const board = createBoard(state.nodes);
  // Pods that its affinity requires can be added later, and Pods that it avoids can leave.
  const shape = { ...state.shape(podOf(maker, state)), attracted: [] };
  if (board.nodes.some((node) => board.obstacle(shape, node) === undefined)) return [];
  return [withoutPlace(maker, describeStandstill(board, shape), input)];
}

/** Returns the Pod as the API server would store it, if a dry run succeeded. */
function podOf({ change, pod, labels }: PodMaker, { samples }: ClusterState) {
  const { namespace } = change.id;
  const sample = samples.get(change.key);
  if (sample === undefined) return { namespace, labels, spec: pod };
  const spec = (at(sample, "spec") ?? {}) as JsonObject;
  return { namespace, labels: labelsAt(at(sample, "metadata", "labels")), spec };
}

function withoutPlace(maker: PodMaker, standstill: Standstill, input: PreflightInput): Finding {
  const { change, isAwaited } = maker;
  const { autoscaler } = input.facts;
  const emptied = standstill.usable === 0 ? [] : ["Even empty nodes have no place for it"];
  const later = autoscaler === undefined ? [] : [`${sentence(autoscaler)} might add nodes`];
  return {
    ...about(maker, input),
    code: "never-fits",
    severity: isAwaited && autoscaler === undefined ? "error" : "warning",
    what: `${nameOf(change.id)}${fails(maker)} on any node`,
    why: [numbers(standstill), ...emptied, ...later].join(". "),
    fix: roomFor(maker, standstill),
    path: fieldBehind(standstill.chief, change.desired),
  };
}

function fails({ change }: PodMaker): string {
  return change.id.kind === "Pod" ? " can't run" : ": its Pods can't run";
}

function roomFor({ change }: PodMaker, { chief }: Standstill): string {
  const isPod = change.id.kind === "Pod";
  if (chief?.type === "volume") {
    return `Add volumes for its claims on nodes that ${isPod ? "it" : "its Pods"} can use, or set a StorageClass that creates volumes`;
  }
  return `Change ${isPod ? "its node requirements" : "the node requirements of its Pods"}, or add suitable nodes`;
}

function unknown(maker: PodMaker, why: string, fix: string, input: PreflightInput): Finding {
  return {
    ...about(maker, input),
    code: "rollout-unknown",
    severity: "note",
    what: `${nameOf(maker.change.id)}: qvs can't predict whether any node can run its Pods`,
    why,
    fix,
  };
}

function about({ change }: PodMaker, { placeOf }: PreflightInput) {
  return {
    object: addressOf(change.desired),
    where: declarationPlaces({ where: placeOf(change.key) }),
  };
}
