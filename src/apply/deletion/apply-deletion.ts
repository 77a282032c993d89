import { usableObjects } from "../../model/cluster/pods.ts";
import { type Deletion, describeUnknownUse, describeUsers } from "../../model/deletion.ts";
import { nameFromKey, nameOf } from "../../model/object.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { fail } from "../failure/fail.ts";
import type { Run } from "../run.ts";
import { awaitDeletedJob } from "./await-job.ts";
import { type DeletionOutcome, deleteObject } from "./delete.ts";
import { readHoldings } from "./read-holdings.ts";

/**
 * Deletes one object of the plan. Returns true after the object is deleted or kept.
 * The first failure ends all deletions, like every other step.
 */
export async function applyDeletion(run: Run, deletion: Deletion): Promise<boolean> {
  const { key } = deletion;
  const { cluster, clock, progress } = run.world;
  if (run.halt.signal.aborted) return false;
  const why = await pruneSkipReason(run, deletion);
  if (why !== undefined) return keep(run, key, why);
  const running = await awaitDeletedJob(run, deletion);
  if (running?.why === "stopped") return false;
  if (running !== undefined)
    return keep(run, key, `still running after ${running.seconds} s: ${running.status}`);
  const outcome = await deleteObject(deletion, {
    owner: run.plan,
    cluster,
    clock,
    watches: run.watches,
    limit: run.limit,
    signal: run.halt.signal,
    timeoutMs: run.limits.timeoutMs,
    onSending: () => progress.report({ type: "deleting", key }),
    onWaiting: (text) => progress.report({ type: "waiting", key, why: text }),
  });
  return recordOutcome(run, deletion, outcome);
}

/** Keeps an object. It stays in the inventory, so the next run checks it again. */
export function keep(run: Run, key: string, why: string): true {
  run.ledger.record(key, "kept", why);
  run.world.progress.report({ type: "kept", key, why });
  return true;
}

function recordOutcome(run: Run, deletion: Deletion, outcome: DeletionOutcome): boolean {
  const { key } = deletion;
  switch (outcome.state) {
    case "absent":
      run.ledger.record(key, "deleted", "");
      run.usage.invalidate();
      run.world.progress.report({ type: "deleted", key });
      return true;
    case "kept":
      return keep(run, key, outcome.why);
    case "not sent":
      return false;
    case "stopped":
      run.ledger.recordUnfinished(key, "deleted", `deletion not confirmed: ${outcome.why}`);
      return false;
    case "failed":
      return fail(run, deletion, outcome.explanation);
  }
}

/**
 * Returns the reason why this run doesn't delete an object, or undefined if it can be deleted.
 * Old Pods can keep running after every new object is ready. Examples are `OnDelete`, a partition
 * and a Pod template that another field manager owns. The next start of such a Pod needs the
 * objects that it references.
 */
async function pruneSkipReason(run: Run, deletion: Deletion): Promise<string | undefined> {
  const dependant = deletion.after.find(({ on }) => run.ledger.resultOf(on)?.outcome === "kept");
  if (dependant !== undefined) return `${nameFromKey(dependant.on)} depends on it and is kept`;
  return (await whyUsed(run, deletion)) ?? whyGained(run, deletion);
}

async function whyUsed(run: Run, planned: Deletion): Promise<string | undefined> {
  const deletion = await run.usage.withProducts(planned, run.plan.deletions);
  for (const { id, isProduct } of usableObjects(deletion)) {
    const users = await run.usage.usersOf(id, deletion);
    // Pods that qvs can't list might exist.
    if (!users.ok) return describeUnknownUse(users.failure.message);
    const found = users.value;
    const waiting = found.length === 0 ? noKeys : whatWaitsFor(deletion, run.plan.deletions);
    const names = found.filter(({ root }) => !waiting.has(root)).map(({ name }) => name);
    if (names.length > 0) return describeUsers(names, isProduct ? id : undefined);
  }
  return undefined;
}

/**
 * Returns a reason if a Namespace or definition gained objects after the plan was made.
 * The plan doesn't show them, but the API server would delete them, too.
 */
async function whyGained(
  { world, limit, plan }: Run,
  { id, live, contents }: Deletion,
): Promise<string | undefined> {
  if (contents === undefined) return undefined;
  const uids = new Set(plan.deletions.map(({ uid }) => uid));
  const ours = { keys: new Set(plan.deletions.map(({ key }) => key)), uids };
  const now = await readHoldings(world.cluster, limit, { id, live }, ours);
  const told = new Set(contents.objects.map(({ key }) => key));
  const names = now.objects.flatMap((each) => (told.has(each.key) ? [] : [nameOf(each.id)]));
  const added = "objects that were created after the plan was made and would be deleted too";
  if (names.length > 0) return `it contains ${added}: ${summarizeList(names, mostNames)}`;
  const unread = new Set(contents.unread.map(({ kind }) => kind));
  const [lost] = now.unread.filter(({ kind }) => !unread.has(kind));
  return lost && `qvs can't list ${added}: ${lost.why}`;
}

/**
 * Returns the keys of this deletion and of all deletions that wait for it, transitively.
 * A workload that is deleted later can still use this object. Such a use must not block both
 * deletions.
 */
function whatWaitsFor({ key }: Deletion, deletions: readonly Deletion[]): ReadonlySet<string> {
  const found = new Set([key]);
  // A plan lists every object after the objects that its deletion waits for.
  for (const { key: later, after } of deletions) {
    if (after.some(({ on }) => found.has(on))) found.add(later);
  }
  return found;
}

const noKeys: ReadonlySet<string> = new Set();

const mostNames = 3;
