import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Release } from "../../../src/model/deployments/release.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { finishRelease } from "../../../src/releases/record.ts";
import { release } from "../../support/plan/release-from.ts";

const forecast = { key: "apps:Deployment::shop/web", replicas: 4, leastReady: 3, morePods: 1 };
const rollout = { ...forecast, waves: 2, seconds: 40 };
const observed = { leastReady: 3, morePods: 1, seconds: 38.2 };

/** Returns the recorded release, or undefined if the record is unreadable. */
function recorded(rollouts: unknown): Release | undefined {
  const compress = (text: string) => new Uint8Array(gzipSync(text));
  const whole = { ...release(2, "succeeded", { names: ["a"] }), rollouts } as Release;
  const secrets = encodeRelease(whole, { namespace: "shop", compress });
  const decoded = decodeReleases("shop", secrets, (bytes) => gunzipSync(bytes).toString());
  return decoded.ok ? decoded.value.releases[0] : undefined;
}

test.each<[string, readonly object[] | undefined]>([
  ["a forecast and its observation", [{ ...rollout, observed }]],
  ["a rollout without an observation", [rollout]],
  ["a forecast without a duration", [{ ...forecast, waves: 2, observed }]],
  ["none", []],
  ["an old record", undefined],
])("a record returns %s", (_name, rollouts) => {
  expect(recorded(rollouts)).toBeDefined();
  expect(recorded(rollouts)?.rollouts).toEqual(rollouts);
});

test.each([
  [{ ...rollout, leastReady: -1 }],
  [{ ...rollout, replicas: 1.5 }],
  [{ ...rollout, observed: { ...observed, seconds: "38" } }],
  [{ ...rollout, waves: 1e300 }],
])("a record with %j stays readable, without its rollouts", (one) => {
  expect(recorded([one])).toBeDefined();
  expect(recorded([one])?.rollouts).toBeUndefined();
});

test("the end of a run adds its observations to each forecast", () => {
  const other = { ...rollout, key: "apps:Deployment::shop/other" };
  const plan = { changes: [], deletions: [], kept: [], forecasts: [rollout, other] };
  const end = { succeeded: false, results: [], finishedAt: "2026-03-04T10:00:00.000Z" };
  const finish = (each: object, rollouts?: ReadonlyMap<string, typeof observed>) =>
    finishRelease(release(2, "pending"), each as unknown as Plan, {
      ...end,
      ...(rollouts === undefined ? {} : { rollouts }),
    }).rollouts;
  const seen = new Map([[rollout.key, observed]]);
  expect(finish(plan, seen)).toEqual([{ ...rollout, observed }, other]);
  expect(finish(plan)).toEqual([rollout, other]);
  expect(finish({ ...plan, forecasts: undefined }, seen)).toBeUndefined();
});
