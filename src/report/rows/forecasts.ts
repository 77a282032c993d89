import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { FindingCode } from "../../model/problems/finding-codes.ts";
import type { ObservedRollout, RolloutForecast } from "../../model/rollout-forecast.ts";
import { plural } from "../text/counts.ts";

/** A forecast with the name of its workload. */
export interface NamedForecast extends RolloutForecast {
  /** Kind, namespace and name. */
  readonly name: string;
}

/** Rollouts with these findings don't complete, so the finding replaces the forecast. */
const stuckCodes: ReadonlySet<FindingCode> = new Set([
  "rollout-deadlock",
  "never-fits",
  "invalid-rollout",
  "quota-exceeded",
]);

/** Returns the forecasts of a plan, without those of rollouts that a finding calls stuck. */
export function namedForecasts(
  plan: Plan | undefined,
  findings: readonly Finding[],
): readonly NamedForecast[] {
  const stuck = new Set(
    findings.filter(({ code }) => stuckCodes.has(code)).map(({ object }) => nameOf(object)),
  );
  const names = new Map(plan?.changes.map(({ key, id }) => [key, nameOf(id)]));
  return (plan?.forecasts ?? []).flatMap(
    ({ key, replicas, leastReady, morePods, waves, seconds }) => {
      const name = names.get(key);
      if (name === undefined || stuck.has(name)) return [];
      const counts = { key, name, replicas, leastReady, morePods, waves };
      return [seconds === undefined ? counts : { ...counts, seconds }];
    },
  );
}

/** Returns text such as `at least 3 of 4 Pods ready, 1 more Pod at the peak, about 40 s`. */
export function forecastText({
  replicas,
  leastReady,
  morePods,
  seconds,
}: Pick<RolloutForecast, "replicas" | "leastReady" | "morePods" | "seconds">): string {
  return [
    `at least ${leastReady} of ${plural(replicas, "Pod")} ready`,
    ...(morePods > 0 ? [`${plural(morePods, "more Pod")} at the peak`] : []),
    ...(seconds === undefined ? [] : [`about ${secondsText(seconds)}`]),
  ].join(", ");
}

/** Returns text such as `3 of 4 Pods ready, 1 more Pod at the peak, 38 s`. */
export function observedText(
  { leastReady, morePods = 0, seconds }: ObservedRollout,
  { replicas }: Pick<RolloutForecast, "replicas">,
): string {
  return [
    `${leastReady} of ${plural(replicas, "Pod")} ready`,
    ...(morePods > 0 ? [`${plural(morePods, "more Pod")} at the peak`] : []),
    secondsText(seconds),
  ].join(", ");
}

function secondsText(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 120) return `${rounded} s`;
  return `${Math.round(rounded / 60)} min`;
}
