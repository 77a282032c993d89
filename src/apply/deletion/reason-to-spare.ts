import { listed } from "../../model/listed.ts";
import { nameOfKey, type ObjectId } from "../../model/object.ts";
import type { Deletion } from "../../model/plan.ts";
import { namesForPods } from "../../model/pod-references.ts";
import type { Run } from "../run.ts";

/**
 * Why an object is not deleted in this run, though everything new is ready; undefined when it may go. Old Pods live on
 * under OnDelete, a partition or a template that others manage, and their next start needs what they name.
 */
export async function reasonToSpare(run: Run, deletion: Deletion): Promise<string | undefined> {
  const dependant = deletion.after.find(({ on }) => run.outcomes.get(on)?.outcome === "kept");
  if (dependant !== undefined) return `${nameOfKey(dependant.on)} depends on it and is kept`;
  for (const id of namedInPods(run, deletion)) {
    const users = await run.usage.usersOf(id);
    // What can't be seen may be there.
    if (!users.ok) return `it can't be seen whether it is still used: ${users.failure.message}`;
    const waiting = users.value.length === 0 ? noKeys : whatWaitsFor(deletion, run.plan.deletions);
    const others = users.value.filter(({ root }) => !waiting.has(root));
    const names = others.map(({ name }) => name);
    if (names.length > 0) return `still used by ${listed(names, mostNames)}`;
  }
  return undefined;
}

/**
 * What is to go after this, step by step. That it uses this, though it was declared to go later, must not keep both of them
 * for ever.
 */
function whatWaitsFor({ key }: Deletion, deletions: readonly Deletion[]): ReadonlySet<string> {
  const found = new Set([key]);
  // A plan lists nothing before what it comes after.
  for (const { key: later, after } of deletions) {
    if (after.some(({ on }) => found.has(on))) found.add(later);
  }
  return found;
}

const noKeys: ReadonlySet<string> = new Set();

/** A kept object goes only if Pods need neither it nor what a controller makes of it. */
function namedInPods({ usage }: Run, { id, live, retires }: Deletion): readonly ObjectId[] {
  if (retires === undefined) return usage.concerns(id) ? [id] : [];
  return namesForPods(live).map((named) => ({ ...id, group: "", ...named }));
}

const mostNames = 3;
