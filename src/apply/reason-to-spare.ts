import { nameOfKey, type ObjectId } from "../model/object.ts";
import type { Deletion } from "../model/plan.ts";
import { namesForPods } from "../model/pod-references.ts";
import type { Run } from "./run.ts";

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
    if (users.value.length > 0) return `still used by ${someOf(users.value)}`;
  }
  return undefined;
}

/** A kept object goes only if Pods need neither it nor what a controller makes of it. */
function namedInPods({ usage }: Run, { id, live, retires }: Deletion): readonly ObjectId[] {
  if (retires === undefined) return usage.concerns(id) ? [id] : [];
  return namesForPods(live).map((named) => ({ ...id, group: "", ...named }));
}

const shown = 3;

function someOf(names: readonly string[]): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : "";
  return `${names.slice(0, shown).join(", ")}${more}`;
}
