import { numberAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ObservedRollout, RolloutForecast } from "../../model/predictions.ts";
import type { Clock } from "../../ports/clock.ts";

/** Observes the ready Pods of a workload during its rollout, from its status. */
export interface RolloutObserver {
  see(object: KubeObject): void;
  /** Returns the observation after the last Pod became ready. */
  end(): ObservedRollout;
}

/** Starts an observation for comparing it with the forecast. */
export function observeRollout(
  { replicas }: Pick<RolloutForecast, "replicas">,
  before: KubeObject | undefined,
  clock: Clock,
): RolloutObserver {
  const began = clock.elapsed();
  const start = before === undefined ? undefined : numberAt(before, "status", "replicas");
  let leastReady = Number.POSITIVE_INFINITY;
  let mostPods: number | undefined;
  return {
    see(object) {
      const status = (name: string) => numberAt(object, "status", name);
      // The API server leaves out a number of 0.
      const ready = status(object.kind === "DaemonSet" ? "numberReady" : "readyReplicas") ?? 0;
      leastReady = Math.min(leastReady, ready);
      const pods = status("replicas");
      if (pods !== undefined) mostPods = Math.max(mostPods ?? 0, pods);
    },
    end() {
      const usual = Math.max(replicas, start ?? 0);
      // A workload that replaces its Pods one by one can have fewer Pods all the time.
      const more = mostPods === undefined ? {} : { morePods: Math.max(0, mostPods - usual) };
      const isKnown = Number.isFinite(leastReady);
      return {
        leastReady: isKnown ? Math.min(leastReady, replicas) : replicas,
        ...more,
        seconds: Math.round((clock.elapsed() - began) / 100) / 10,
      };
    },
  };
}
