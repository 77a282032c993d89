import { isLimit } from "../governors.ts";
import { type JsonObject, textAt } from "../json.ts";
import { groupOf, type KubeObject, type ObjectId } from "../object.ts";
import type { Deletion } from "../plan/deletion.ts";
import type { Change, Plan } from "../plan/plan.ts";

/** A change that an upstream deployment makes, as its own plan predicts it. */
export interface UpstreamChange extends Change {
  /** The name of the upstream deployment. */
  readonly deployment: string;
}

/**
 * The differences from the live cluster after the upstream deployments were deployed to it. Only a
 * preview needs them: a deployment runs after its upstream deployments.
 */
export interface UpstreamDeployments {
  /** The changes by key, in the order of the deployments. */
  readonly changes: ReadonlyMap<string, UpstreamChange>;
  /** The deletions by key. */
  readonly deleted: ReadonlyMap<string, UpstreamDeletion>;
}

export interface UpstreamDeletion {
  readonly deployment: string;
  readonly live: KubeObject;
}

export const noUpstreamDeployments: UpstreamDeployments = {
  changes: new Map(),
  deleted: new Map(),
};

/** Returns the state that these plans leave behind. Later plans override earlier ones. */
export function combineUpstreamPlans(
  plans: readonly { readonly deployment: string; readonly plan: Plan }[],
): UpstreamDeployments {
  const changes = new Map<string, UpstreamChange>();
  const deleted = new Map<string, UpstreamDeletion>();
  for (const { deployment, plan } of plans) {
    for (const change of plan.changes) {
      const before = changes.get(change.key)?.live;
      // If several deployments change an object one after the other, the first one found the live
      // object.
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
      if (isLimit(id)) changes.set(key, withoutLimits(deletion, deployment));
      else changes.delete(key);
    }
  }
  return { changes, deleted };
}

function withoutLimits(deletion: Deletion, deployment: string): UpstreamChange {
  const { key, id, stage, live } = deletion;
  const after = { ...live, spec: {} };
  return {
    ...{ key, id, stage, live, deployment, resource: "", action: "update", steps: [], after: [] },
    ...{ desired: after, predicted: after, certainty: { by: "comparison" } },
  };
}

/** The objects that another deployment of the same run declares. */
export interface OtherDeclarations {
  readonly deployment: string;
  /** The namespace of objects without one. */
  readonly namespace: string;
  /** The objects, at least their identities; undefined if the deployment doesn't compile. */
  readonly objects: readonly JsonObject[] | undefined;
}

/** Reports whether a deployment declares an object. A version of its API isn't part of its id. */
export function declaresObject(
  { namespace, objects = [] }: OtherDeclarations,
  id: ObjectId,
): boolean {
  return objects.some(
    (object) =>
      textAt(object, "kind") === id.kind &&
      groupOf(textAt(object, "apiVersion") ?? "") === id.group &&
      textAt(object, "metadata", "name") === id.name &&
      (id.namespace === "" ||
        (textAt(object, "metadata", "namespace") ?? namespace) === id.namespace),
  );
}
