import { mayStaySuspended } from "../model/cluster/suspension.ts";
import type { Earlier } from "../model/earlier.ts";
import { at, sameJson } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";

/** Something that a deployment waits for without beginning anything new about it. */
export interface Awaited {
  readonly key: string;
  readonly live: KubeObject;
  /** Whether what is said of it now may be about what was before: it, or something that it depends on, is changed. */
  readonly isAffected: boolean;
  /** Keys of what it depends on and is changed, directly or by what that depends on: maybe just what it lacks. */
  readonly mayHelp: readonly string[];
  /** Whether somebody else has it, and a change depends on it. */
  readonly isOutside: boolean;
  /** Its manifest declares that it is suspended; undefined where it is outside. */
  readonly suspends: boolean | undefined;
}

/**
 * What a deployment waits for as it is: everything that it declares and leaves unchanged, or changes in nothing that a controller would
 * act upon, and the objects of others that its changes depend on. What deployments change that go first is another object by then.
 */
export function awaitedAsTheyAre(
  plan: Plan,
  earlier: Earlier["changes"] = new Map(),
): readonly Awaited[] {
  const affected = affectedBy(plan, earlier);
  const own = plan.changes.flatMap((change): readonly Awaited[] => {
    const { key, live, after } = change;
    if (live === undefined || !staysAsItIs(change)) return [];
    const mayHelp = after.map(({ on }) => on).filter((on) => affected.has(on));
    const about = { isAffected: affected.has(key), mayHelp, suspends: mayStaySuspended(change) };
    return [{ key, live, ...about, isOutside: false }];
  });
  const outside = (plan.awaited ?? []).map(
    ({ key, live }): Awaited => ({
      ...{ key, live, isAffected: false, mayHelp: [], isOutside: true },
      suspends: undefined,
    }),
  );
  return [...own, ...outside].filter(({ key }) => !earlier.has(key));
}

/** Nothing comes before what it depends on, so one pass finds all. */
function affectedBy({ changes }: Plan, earlier: Earlier["changes"]): ReadonlySet<string> {
  const affected = new Set(earlier.keys());
  for (const { key, action, after } of changes) {
    if (action !== "unchanged" || after.some(({ on }) => affected.has(on))) affected.add(key);
  }
  return affected;
}

/** Groups whose controllers look at nothing but the spec: elsewhere a new annotation may be what makes it ready. */
const ledBySpec: ReadonlySet<string> = new Set(["", "apps", "batch"]);

/** Its controller has nothing new to act upon. */
export function staysAsItIs({ action, live, predicted, desired }: Change): boolean {
  if (action === "unchanged") return true;
  return (
    action === "update" &&
    predicted !== undefined &&
    ledBySpec.has(groupOf(desired.apiVersion)) &&
    sameJson(at(predicted, "spec"), at(live, "spec"))
  );
}
