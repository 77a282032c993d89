import { isSidecar } from "../../model/cluster/pod-resources.ts";
import { podReferences } from "../../model/cluster/pods.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../../model/json.ts";
import { concurrentContainers, type PlacedContainer } from "../planned-pods.ts";
import { rolloutBounds } from "../rollouts/deployment-controller.ts";
import { resolveShare } from "../rollouts/pod-group.ts";
import type { Workload } from "../rollouts/workload.ts";
import type { RequestTarget } from "./request-targets.ts";

/**
 * A reason why requests fail while a rollout replaces Pods.
 * docs/deploy/zero-downtime.md explains the reasons, and docs/decisions/lost-requests.md which ones
 * qvs reports.
 */
export type LossReason =
  /** All old Pods end before a new one is ready. */
  | { readonly type: "none-serves"; readonly cause: string; readonly canSurge: boolean }
  /** A new Pod gets requests before its container listens. */
  | { readonly type: "no-probe"; readonly targets: readonly RequestTarget[] }
  /** The containers are killed without a signal and without their preStop hooks. */
  | { readonly type: "killed" }
  /** The preStop hook takes the whole grace period. */
  | { readonly type: "long-hook"; readonly container: PlacedContainer; readonly seconds: number }
  /** An old Pod gets the signal to stop while proxies still send requests to it. */
  | { readonly type: "no-hook"; readonly targets: readonly RequestTarget[] };

/** The grace period of a Pod that declares none, in seconds. */
const defaultGrace = 30;

/** Returns the grace period of a Pod in seconds. */
export function gracePeriod(pod: JsonObject): number {
  return numberAt(pod, "terminationGracePeriodSeconds") ?? defaultGrace;
}

/**
 * Returns the reasons why a rollout loses requests, the worst first.
 * If no Pod serves for some time and the strategy can't change that, other settings don't matter.
 */
export function lossReasons(
  workload: Workload,
  pod: JsonObject,
  targets: readonly RequestTarget[],
): readonly LossReason[] {
  const gap = unservedTime(workload, pod);
  if (gap !== undefined && !gap.canSurge) return [gap];
  return [
    ...(gap === undefined ? [] : [gap]),
    ...missingProbe(pod, targets),
    ...(gracePeriod(pod) === 0 ? [{ type: "killed" as const }] : longHooks(pod, targets)),
    ...(gracePeriod(pod) === 0 || hasScaleDownDelay(workload) ? [] : missingHook(pod, targets)),
  ];
}

function unservedTime(workload: Workload, pod: JsonObject) {
  const cause = unservedCause(workload);
  if (cause === undefined) return undefined;
  const canSurge = workload.kind !== "StatefulSet" && !isExclusive(pod);
  return { type: "none-serves" as const, cause, canSurge };
}

/** Reports whether an old and a new Pod might not run next to each other. */
function isExclusive(pod: JsonObject): boolean {
  const hasHostPort = concurrentContainers(pod).some(({ container }) =>
    listAt(container, "ports").some((port) => (numberAt(port, "hostPort") ?? 0) > 0),
  );
  const hasClaim = podReferences(pod).some(({ kind }) => kind === "PersistentVolumeClaim");
  return at(pod, "hostNetwork") === true || hasHostPort || hasClaim;
}

/** Returns the reason why no Pod serves while the Pods are replaced. */
function unservedCause(workload: Workload): string | undefined {
  const { kind, spec, replicas, live } = workload;
  switch (kind) {
    case "Deployment": {
      if (textAt(spec, "strategy", "type") === "Recreate") {
        return "The strategy Recreate ends all old Pods before it creates new ones";
      }
      return endingAtOnce(at(spec, "strategy", "rollingUpdate"), replicas);
    }
    case "Rollout": {
      const canary = at(spec, "strategy", "canary");
      if (!isObject(canary) || isObject(canary.trafficRouting)) return undefined;
      return endingAtOnce(canary, replicas);
    }
    case "StatefulSet": {
      const limit = at(spec, "updateStrategy", "rollingUpdate", "maxUnavailable") ?? 1;
      const most = resolveShare(limit, replicas, Math.ceil);
      if (replicas > 1) return allEndText(most, replicas, "replicas");
      return "Its only Pod ends before the new one is created";
    }
    case "DaemonSet": {
      const rolling = at(spec, "updateStrategy", "rollingUpdate");
      const count = numberAt(live, "status", "desiredNumberScheduled") ?? 0;
      const surge = resolveShare(at(rolling, "maxSurge") ?? 0, count, Math.ceil);
      const most = resolveShare(at(rolling, "maxUnavailable") ?? 1, count, Math.ceil);
      return count === 0 || surge > 0 ? undefined : allEndText(most, count, "Pods");
    }
  }
}

function endingAtOnce(rolling: Json | undefined, replicas: number): string | undefined {
  const { unavailable } = rolloutBounds(isObject(rolling) ? rolling : {}, replicas, "25%");
  return allEndText(unavailable, replicas, "replicas");
}

function allEndText(unavailable: number, count: number, noun: string): string | undefined {
  if (unavailable < count) return undefined;
  return count === 1
    ? "maxUnavailable lets its only Pod end before the new one is ready"
    : `maxUnavailable lets all ${count} ${noun} end before a new one is ready`;
}

/**
 * Finds ports of containers that are ready as soon as they start.
 * A container with a startup probe isn't ready until that probe succeeds (`UpdatePodStatus` in
 * pkg/kubelet/prober). One with a postStart hook isn't running until the hook ends
 * (https://kubernetes.io/docs/tasks/configure-pod-container/attach-handler-lifecycle-event/).
 * A readiness gate lets a load balancer or another controller decide.
 */
function missingProbe(pod: JsonObject, targets: readonly RequestTarget[]): readonly LossReason[] {
  if (listAt(pod, "readinessGates").length > 0) return [];
  const found = targets.filter(({ containers }) => !containers.some(isProbed));
  return found.length === 0 ? [] : [{ type: "no-probe", targets: found }];
}

function isProbed({ container }: PlacedContainer): boolean {
  return (
    isObject(at(container, "readinessProbe")) ||
    isObject(at(container, "startupProbe")) ||
    isObject(at(container, "lifecycle", "postStart"))
  );
}

/**
 * Finds preStop hooks that take the whole grace period, which starts before the hook.
 * The kubelet then ends the hook and kills the container 2 s after the signal
 * (`minimumGracePeriodInSeconds` in pkg/kubelet/kuberuntime).
 */
function longHooks(pod: JsonObject, targets: readonly RequestTarget[]): readonly LossReason[] {
  const serving = targets.flatMap(({ containers }) => containers);
  const byName = new Map(serving.map((each) => [textAt(each.container, "name"), each]));
  return [...byName.values()].flatMap((container): readonly LossReason[] => {
    const seconds = hookSeconds(container);
    const isLong = seconds !== undefined && seconds >= gracePeriod(pod);
    return isLong ? [{ type: "long-hook", container, seconds }] : [];
  });
}

/** Returns the time of a preStop hook that waits; undefined if there is none, or it is unknown. */
function hookSeconds({ container }: PlacedContainer): number | undefined {
  const hook = at(container, "lifecycle", "preStop");
  const slept = numberAt(hook, "sleep", "seconds");
  if (slept !== undefined) return slept;
  const command = listAt(hook, "exec", "command").filter((word) => typeof word === "string");
  const sleeps = [...command.join(" ").matchAll(/\bsleep\s+(\d+(?:\.\d+)?)([smh]?)\b/g)];
  if (sleeps.length === 0) return undefined;
  return sleeps.reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (secondsOfUnits.get(unit) ?? 1),
    0,
  );
}

const secondsOfUnits: ReadonlyMap<string, number> = new Map([
  ["m", 60],
  ["h", 3600],
]);

/** Finds ports of containers that nothing keeps running after the Pod is deleted. */
function missingHook(pod: JsonObject, targets: readonly RequestTarget[]): readonly LossReason[] {
  const found = targets.filter(
    ({ containers }) => !containers.some((each) => waitsBeforeStop(each, pod)),
  );
  return found.length === 0 ? [] : [{ type: "no-hook", targets: found }];
}

/**
 * Reports whether a container delays its end, as far as its manifest shows.
 * The kubelet stops native sidecars after the other containers, so their hooks delay it, too
 * (https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/).
 */
function waitsBeforeStop({ container }: PlacedContainer, pod: JsonObject): boolean {
  if (hasHook(container) || mentionsDraining(container)) return true;
  return isSidecar(container) && listAt(pod, "containers").some(hasHook);
}

function hasHook(container: Json): boolean {
  const hook = at(container, "lifecycle", "preStop");
  return isObject(hook) && numberAt(hook, "sleep", "seconds") !== 0;
}

/** Reports whether the command line or the environment of a container configures its end. */
function mentionsDraining(container: Json): boolean {
  const names = listAt(container, "env").map((each) => textAt(each, "name"));
  const words = ["command", "args"].flatMap((list) => listAt(container, list));
  return [...names, ...words].some((word) => typeof word === "string" && drainingWords.test(word));
}

const drainingWords = /drain|lame-?duck|graceful|grace[-_]?(period|time)|shutdown|\btrap\b/i;

/**
 * Reports whether old Pods stay for a while after they get no more requests.
 * Argo Rollouts waits 30 s by default, if a switch and not the end of Pods moves the requests
 * (https://argo-rollouts.readthedocs.io/en/stable/features/specification/).
 */
function hasScaleDownDelay({ kind, spec }: Workload): boolean {
  if (kind !== "Rollout") return false;
  const [canary, blueGreen] = ["canary", "blueGreen"].map((name) => at(spec, "strategy", name));
  const switching = isObject(at(canary, "trafficRouting")) ? canary : blueGreen;
  return isObject(switching) && numberAt(switching, "scaleDownDelaySeconds") !== 0;
}
