import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { ObservedRollout, RolloutForecast } from "../../model/plan/predictions.ts";
import { type Finding, isOpen } from "../../model/problems/finding.ts";
import { plural } from "../text/counts.ts";

/** A forecast with the name of its workload. */
export interface NamedForecast extends RolloutForecast {
  /** Kind, namespace and name. */
  readonly name: string;
  /** True if qvs couldn't check whether the nodes have room for the Pods. */
  readonly isRoomUnknown?: true | undefined;
}

/**
 * Returns the forecasts of a plan. A workload with an error as a finding has none: its rollout
 * doesn't complete as predicted.
 */
export function namedForecasts(
  plan: Plan | undefined,
  findings: readonly Finding[],
): readonly NamedForecast[] {
  const about = (accepts: (finding: Finding) => boolean) =>
    new Set(findings.filter(accepts).map(({ object }) => nameOf(object)));
  const failing = about((finding) => finding.severity === "error" && isOpen(finding));
  const unknown = about(({ code }) => code === "rollout-unknown");
  const names = new Map(plan?.changes.map(({ key, id }) => [key, nameOf(id)]));
  return (plan?.forecasts ?? []).flatMap(
    ({ key, replicas, leastReady, morePods, waves, seconds }) => {
      const name = names.get(key);
      if (name === undefined || failing.has(name)) return [];
      const counts = { key, name, replicas, leastReady, morePods, waves };
      const room = unknown.has(name) ? { isRoomUnknown: true as const } : {};
      return [{ ...counts, ...(seconds === undefined ? {} : { seconds }), ...room }];
    },
  );
}

type ForecastWords = Pick<RolloutForecast, "replicas" | "leastReady" | "morePods" | "seconds"> &
  Pick<NamedForecast, "isRoomUnknown">;

/** Returns text such as `at least 3 of 4 Pods ready, 1 more Pod at the peak, about 40 s`. */
export function forecastText({
  replicas,
  leastReady,
  morePods,
  seconds,
  isRoomUnknown,
}: ForecastWords): string {
  return [
    leastReady === 0
      ? `none of ${plural(replicas, "Pod")} ready at times`
      : `at least ${leastReady} of ${plural(replicas, "Pod")} ready`,
    ...(morePods > 0 ? [`${plural(morePods, "more Pod")} at the peak`] : []),
    ...(seconds === undefined ? [] : [`about ${secondsText(seconds)}`]),
    ...(isRoomUnknown === true ? ["room on the nodes unknown"] : []),
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
