import type { JsonObject } from "../../model/json.ts";
import { nameFromKey } from "../../model/object.ts";
import type { RecordedRollout } from "../../model/predictions.ts";
import type { Release } from "../../model/release.ts";
import { forecastText, observedText } from "../rows/forecasts.ts";
import type { AnswerRow } from "./columns.ts";

/** Returns the rollouts with their forecast, the observed values, and the difference. */
export function rolloutRows(rollouts: readonly RecordedRollout[]): readonly AnswerRow[] {
  return rollouts.map((each) => {
    const { key, observed } = each;
    const seen = observed === undefined ? "not completed" : observedText(observed, each);
    return {
      cells: [
        { text: "rollout" },
        { text: nameFromKey(key) },
        { text: `forecast ${forecastText(each)}; observed ${seen}${errorText(each)}` },
      ],
    };
  });
}

function errorText(rollout: RecordedRollout): string {
  const error = forecastError(rollout);
  if (error === undefined) return "";
  const parts = [
    ...(error.leastReady === 0 ? [] : [`${signed(error.leastReady)} ready`]),
    ...(error.seconds === undefined ? [] : [`${signed(error.seconds)} s`]),
  ];
  return parts.length === 0 ? "; as predicted" : `; difference ${parts.join(", ")}`;
}

function signed(number: number): string {
  return number < 0 ? `−${-number}` : `+${number}`;
}

/** Returns the observed minus the predicted values; undefined without an observation. */
function forecastError({ leastReady, seconds, observed }: RecordedRollout) {
  if (observed === undefined) return undefined;
  const late = seconds === undefined ? undefined : Math.round(observed.seconds - seconds);
  return {
    leastReady: observed.leastReady - leastReady,
    ...(late === undefined ? {} : { seconds: late }),
  };
}

/** Returns the rollouts as JSON, each with its difference. */
export function rolloutsJson({ rollouts = [] }: Pick<Release, "rollouts">): readonly JsonObject[] {
  return rollouts.map((rollout) => {
    const { key, replicas, leastReady, morePods, waves, seconds, observed } = rollout;
    const error = forecastError(rollout);
    return {
      object: key,
      replicas,
      forecast: { leastReady, morePods, waves, seconds: seconds ?? null },
      observed:
        observed === undefined
          ? null
          : {
              leastReady: observed.leastReady,
              morePods: observed.morePods ?? null,
              seconds: observed.seconds,
            },
      error:
        error === undefined
          ? null
          : { leastReady: error.leastReady, seconds: error.seconds ?? null },
    };
  });
}
