import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, isObject, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { keepsOldPods } from "../planned-pods.ts";
import { rolledOutWorkloads, type Workload } from "../rollouts/workload.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { lossFix, reasonText } from "../traffic/loss-texts.ts";
import { type LossReason, lossReasons } from "../traffic/lost-requests.ts";
import { clientServices, requestServices, requestTargets } from "../traffic/request-targets.ts";
import { invalidRolloutKeys } from "./invalid-rollout.ts";
import { rejectedKeys } from "./rejected-pods.ts";

/**
 * Reports rollouts that lose requests while they replace Pods behind a Service of the plan
 * (docs/deploy/zero-downtime.md). Each workload has one finding with all its reasons.
 */
export function requestsLost(input: PreflightInput): readonly Finding[] {
  const { plan, facts, placeOf } = input;
  const replacing = rolledOutWorkloads(plan).filter(replacesServingPods);
  if (replacing.length === 0) return [];
  const clients = clientServices(plan);
  const skipped = new Set([...rejectedKeys(input), ...invalidRolloutKeys(plan)]);
  return replacing.flatMap((workload): readonly Finding[] => {
    const { change } = workload;
    const pod = newPodSpec(workload, facts);
    if (skipped.has(change.key) || pod === undefined) return [];
    const services = requestServices(workload, clients);
    const targets = requestTargets(services, pod);
    const reasons = targets.length === 0 ? [] : lossReasons(workload, pod, targets);
    const [first] = reasons;
    if (first === undefined) return [];
    return [
      changeFinding(change, placeOf, {
        code: "requests-lost",
        severity: severityOf(reasons),
        what: `${nameOf(change.id)}: ${effectText(first)}`,
        why: [clientText(services), ...reasons.map((each) => reasonText(each, pod))].join(". "),
        ...lossFix(workload, pod, reasons),
        path: declaredPath(first, change),
      }),
    ];
  });
}

/** Reports whether the rollout ends Pods that serve requests now. */
function replacesServingPods(workload: Workload): boolean {
  const { live, object, hasSameTemplate } = workload;
  if (live === undefined || hasSameTemplate || numberAt(live, "spec", "replicas") === 0) {
    return false;
  }
  return !keepsAllPods(workload, object) && !hasNoReadyPod(live);
}

function keepsAllPods({ kind, spec, replicas }: Workload, object: KubeObject): boolean {
  const rolling = at(spec, "updateStrategy", "rollingUpdate");
  const partition = numberAt(rolling, "partition") ?? 0;
  if (kind !== "StatefulSet" || partition === 0) return keepsOldPods(object);
  return partition >= (numberAt(spec, "ordinals", "start") ?? 0) + replicas;
}

/** Reports whether the status of a workload shows Pods, and none of them is ready. */
function hasNoReadyPod(live: KubeObject): boolean {
  const count = (...names: readonly string[]) =>
    Math.max(...names.map((name) => numberAt(live, "status", name) ?? 0));
  return (
    count("replicas", "currentNumberScheduled") > 0 && count("readyReplicas", "numberReady") === 0
  );
}

/** Returns the spec of a new Pod, as admitted if it was dry-run. */
function newPodSpec(
  { change, spec }: Workload,
  { samplePods }: ClusterFacts,
): JsonObject | undefined {
  const sample = samplePods.get(change.key);
  const pod = sample?.ok === true ? at(sample.value, "spec") : at(spec, "template", "spec");
  return isObject(pod) ? pod : undefined;
}

/** The loss is certain or measured for all reasons except one; see docs/decisions. */
function severityOf(reasons: readonly LossReason[]): Severity {
  return reasons.every(({ type }) => type === "no-hook") ? "note" : "warning";
}

/** The other reasons depend on the image: the time that it starts and ends. */
function effectText({ type }: LossReason): string {
  return type === "none-serves"
    ? "no Pod serves requests during its rollout"
    : "its rollout might lose requests";
}

const maxServices = 3;

function clientText(services: readonly Change[]): string {
  const names = summarizeList(
    services.map(({ id }) => nameOf(id)),
    maxServices,
  );
  return services.length === 1
    ? `${names} sends requests to its Pods`
    : `${names} send requests to its Pods`;
}

/** Returns the path of the declared field that causes the loss, or of its container. */
function declaredPath(reason: LossReason, { desired }: Change): readonly string[] | undefined {
  const pods = podSpecOf(desired);
  switch (reason.type) {
    case "none-serves":
      return ["strategy", "updateStrategy", "replicas"]
        .map((field) => ["spec", field])
        .find((path) => at(desired, ...path) !== undefined);
    case "killed":
      return pods && [...pods.path, "terminationGracePeriodSeconds"];
    case "long-hook": {
      const path = containerPath(reason.container.container, desired);
      return path && [...path, "lifecycle", "preStop"];
    }
    default: {
      const [target] = reason.targets;
      return target?.containers[0] && containerPath(target.containers[0].container, desired);
    }
  }
}

/** Returns the path of the declared container of that name; admission can move it in its list. */
function containerPath(
  container: Parameters<typeof textAt>[0],
  desired: KubeObject,
): readonly string[] | undefined {
  const pods = podSpecOf(desired);
  if (pods === undefined) return undefined;
  const found = ["containers", "initContainers"].flatMap((list) => {
    const index = listAt(pods.spec, list).findIndex(
      (each) => textAt(each, "name") === textAt(container, "name"),
    );
    return index < 0 ? [] : [[...pods.path, list, String(index)]];
  });
  return found[0];
}
