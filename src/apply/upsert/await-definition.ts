import { sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import { pause } from "./again-where-former.ts";
import { pinned } from "./apply-object.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Waits, for 5 s at most since a definition was changed, until the server merges by it: for a moment it goes on by the former, and
 * says nothing about it. It goes by the new one once a dry-run answers what the plan has foretold.
 */
export async function awaitDefinition(
  change: Change,
  { isForced }: { readonly isForced: boolean },
  context: UpsertContext,
): Promise<void> {
  const { definedAt, clock, cluster, deployment, signal } = context;
  if (definedAt === undefined || change.live === undefined) return;
  const options = {
    fieldManager: fieldManager(deployment, change.stage),
    dryRun: true,
    force: isForced,
  };
  while (clock.elapsed() - definedAt < takesMs && !signal.aborted) {
    const answer = await cluster.apply(pinned(change), options);
    // Whoever sends it hears the same, and knows what to do about it.
    if (!answer.ok || isForetold(answer.value, change)) return;
    await pause(context);
  }
}

const takesMs = 5_000;

function isForetold(answer: KubeObject, { predicted }: Change): boolean {
  return predicted !== undefined && sameJson(contentOf(answer), contentOf(predicted));
}

/** What is merged by a definition. */
function contentOf({ metadata: _metadata, status: _status, ...content }: KubeObject) {
  return content;
}
