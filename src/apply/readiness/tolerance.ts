import { failed, type Status } from "./status/conditions.ts";

/**
 * Decides when a failure that a controller might still recover from counts
 * (docs/reference/annotations.md#tolerate).
 */
export interface Tolerance {
  /** Returns the status that counts now. `pods` has the failure of each failing Pod. */
  judge(status: Status, pods: ReadonlyMap<string, string>, now: number): Status;
  /** Returns the time, in ms, until the oldest present failure counts. */
  remaining(now: number): number;
}

/**
 * The time for which a controller can report a failure before it counts, in ms.
 * It is for objects without a tolerance. Controllers often fail first because a dependency is new,
 * and then try again.
 */
const retryMs = 60_000;

/**
 * Creates the rule of an object without a tolerance.
 * A failure of its own counts at once, or after `retryMs` if its controller tries again.
 * Failures of its Pods never count.
 */
function createRetryTolerance(): Tolerance {
  let since: number | undefined;
  return {
    judge(status, _pods, now) {
      const isRetried = status.state === "failed" && status.isRetried === true;
      since = isRetried ? (since ?? now) : undefined;
      if (!isRetried || since === undefined || now - since >= retryMs) return status;
      return tolerated(status.why, retryMs);
    },
    remaining: (now) => (since === undefined ? Number.POSITIVE_INFINITY : since + retryMs - now),
  };
}

interface FailingSpell {
  readonly since: number;
  /** The time of the recovery. Undefined while the failure lasts. */
  readonly recovered: number | undefined;
}

/** The key of the object's own failure, next to the names of Pods. */
const ownFailure = "";

/**
 * Lets failures count once they have lasted for `toleratedMs`.
 * A crash loop runs for a moment between two crashes. A failure that is back within the tolerated
 * time therefore counts from its first appearance.
 */
export function createTolerance(toleratedMs: number | undefined): Tolerance {
  if (toleratedMs === undefined) return createRetryTolerance();
  const spells = new Map<string, FailingSpell>();
  let present: readonly FailingSpell[] = [];
  return {
    judge(status, pods, now) {
      if (status.state !== "waiting" && status.state !== "failed") return status;
      if (status.state === "failed" && status.isFinal === true) return status;
      const own = looksFailed(status) ? [[ownFailure, status.why] as const] : [];
      const failures = [...own, ...pods];
      endSpells(spells, new Set(failures.map(([key]) => key)), now);
      present = failures.map(([key]) => continueSpell(spells, key, now, toleratedMs));
      const [, why] = failures[present.findIndex(({ since }) => now - since >= toleratedMs)] ?? [];
      if (why !== undefined) return failed(`${why} (not recovered within ${seconds(toleratedMs)})`);
      return status.state === "failed" ? tolerated(status.why, toleratedMs) : status;
    },
    remaining: (now) => Math.min(...present.map(({ since }) => since + toleratedMs - now)),
  };
}

function endSpells(
  spells: Map<string, FailingSpell>,
  failing: ReadonlySet<string>,
  now: number,
): void {
  for (const [key, spell] of spells) {
    const hasEnded = !failing.has(key) && spell.recovered === undefined;
    if (hasEnded) spells.set(key, { ...spell, recovered: now });
  }
}

function continueSpell(
  spells: Map<string, FailingSpell>,
  key: string,
  now: number,
  toleratedMs: number,
): FailingSpell {
  const before = spells.get(key);
  const isSame = before !== undefined && now - (before.recovered ?? now) < toleratedMs;
  const spell = { since: isSame ? before.since : now, recovered: undefined };
  spells.set(key, spell);
  return spell;
}

function looksFailed(status: Status): status is Extract<Status, { readonly why: string }> {
  if (status.state === "failed") return true;
  return status.state === "waiting" && (status.isRetried === true || status.cause === "refused");
}

function tolerated(why: string, toleratedMs: number): Status {
  return {
    state: "waiting",
    why: `${why} (tolerated for ${seconds(toleratedMs)})`,
    isTolerated: true,
  };
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
