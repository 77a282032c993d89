import type { ObjectResult } from "../../model/deployments/release.ts";
import { createReleaseHistory } from "../../model/deployments/release-history.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { finishRelease, pendingRelease } from "../../releases/record.ts";
import type { RecordedReleases } from "../../releases/store.ts";
import type { DesiredState } from "../desired-state.ts";
import type { ExecutablePlan } from "../planned-deployment.ts";

/** Returns the releases as a successful run of the plan will leave them. */
export function releasesAfterPlan(
  { plan, expandedConfig, recorded, source }: ExecutablePlan,
  { input, layout, checks = [] }: DesiredState,
  now: string,
): RecordedReleases {
  const pending = pendingRelease(plan, recorded, {
    revision: recorded.next,
    rollbackOf: undefined,
    inputConfig: input,
    expandedConfig,
    layout,
    ...(checks.length === 0 ? {} : { checks }),
    source,
    startedAt: now,
  });
  const results = expectedResults(plan);
  const release = finishRelease(pending, plan, { succeeded: true, results, finishedAt: now });
  const { releases, secrets, unreadable, next } = recorded;
  const history = createReleaseHistory([release, ...releases]);
  return { ...history, secrets, unreadable, next: next + 1 };
}

const outcomes = {
  create: "created",
  update: "updated",
  replace: "replaced",
  unchanged: "unchanged",
} as const;

function expectedResults({ changes, deletions, kept }: Plan): readonly ObjectResult[] {
  return [
    ...changes.map(({ key, action }) => ({ key, outcome: outcomes[action], detail: "" })),
    ...deletions.map(({ key }) => ({ key, outcome: "deleted" as const, detail: "" })),
    ...kept.map(({ key, detail }) => ({ key, outcome: "kept" as const, detail })),
  ];
}
