import type { Deletion } from "./deletion.ts";
import type { KubeObject } from "./object.ts";
import type { Change, Plan } from "./plan.ts";

/** What a deployment that goes first makes or changes, as its own plan says. */
export interface EarlierChange extends Change {
  /** The name of that deployment. */
  readonly deployment: string;
}

/**
 * What there will be, otherwise than now, when the deployments that this one waits for have been deployed to the same cluster. Only a
 * preview needs it: whoever deploys comes after them.
 */
export interface Earlier {
  /** By key, in the order of the deployments. */
  readonly changes: ReadonlyMap<string, EarlierChange>;
  /** By key. */
  readonly deleted: ReadonlyMap<string, EarlierDeletion>;
}

export interface EarlierDeletion {
  readonly deployment: string;
  readonly live: KubeObject;
}

export const nothingEarlier: Earlier = { changes: new Map(), deleted: new Map() };

/** Deleted, it limits nothing any more: as if it still were there and said nothing. */
const limits: ReadonlySet<string> = new Set(["LimitRange", "ResourceQuota"]);

/** What these plans leave behind; later ones win. */
export function earlierOf(
  plans: readonly { readonly deployment: string; readonly plan: Plan }[],
): Earlier {
  const changes = new Map<string, EarlierChange>();
  const deleted = new Map<string, EarlierDeletion>();
  for (const { deployment, plan } of plans) {
    for (const change of plan.changes) {
      const before = changes.get(change.key)?.live;
      // Where several change it one after the other, what is there now is what the first has found.
      const now = before === undefined ? {} : { live: before, action: "update" as const };
      if (change.action !== "unchanged") {
        changes.set(change.key, { ...change, ...now, deployment });
      }
      deleted.delete(change.key);
    }
    const declared = new Set(plan.changes.map(({ key }) => key));
    for (const deletion of plan.deletions) {
      const { key, id, live } = deletion;
      if (declared.has(key)) continue;
      deleted.set(key, { deployment, live });
      if (id.group === "" && limits.has(id.kind)) changes.set(key, limitless(deletion, deployment));
      else changes.delete(key);
    }
  }
  return { changes, deleted };
}

function limitless(deletion: Deletion, deployment: string): EarlierChange {
  const { key, id, stage, live } = deletion;
  const after = { ...live, spec: {} };
  return {
    ...{ key, id, stage, live, deployment, resource: "", action: "update", steps: [], after: [] },
    ...{ desired: after, predicted: after, certainty: { by: "comparison" } },
  };
}
