import type { Manifest } from "../../model/compilation.ts";
import type { Deployment } from "../../model/deployment.ts";
import { groupOf, type ObjectId } from "../../model/object.ts";
import { ok, type Result } from "../../model/problems/problem.ts";
import { declareObjects } from "../../plan/declared/declare-objects.ts";
import { undeclaredDependencies } from "../../plan/order/explicit-edges.ts";
import { everyNull } from "../../schema/nulls.ts";
import { resourcesAmong, type ServedKind } from "./api-resources.ts";
import type { NeededRight, RightsCommand } from "./right.ts";
import { rightsOf } from "./rights-of.ts";

/** The inputs that decide the permissions of a deployment. */
export interface RightsRequest {
  readonly command: RightsCommand;
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly manifests: readonly Manifest[];
  /** Objects of earlier releases, which the command reads and deletes. */
  readonly recorded: readonly ObjectId[];
  /** Kinds that a cluster serves; empty if qvs asked no cluster. */
  readonly served: readonly ServedKind[];
  readonly byKind: boolean;
}

export interface RightsFound {
  readonly rights: readonly NeededRight[];
  /** Resources with guessed names, such as `widgets.example.com`, sorted. */
  readonly assumed: readonly string[];
}

/** Returns the permissions that a command needs for the deployment of these manifests. */
export function rightsFor(request: RightsRequest): Result<RightsFound> {
  const { command, deployment, manifests, recorded, served, byKind } = request;
  const resourceOf = resourcesAmong(manifests, served);
  const declared = declareObjects(manifests, {
    deployment: deployment.name,
    namespace: deployment.namespace,
    isNamespaced: (apiVersion, kind) => resourceOf(groupOf(apiVersion), kind).namespaced,
    // The permissions depend on the nulls in the manifests, so all of them stay.
    nullRulesOf: () => everyNull,
  });
  if (!declared.ok) return declared;
  const objects = [
    ...declared.value.map(({ id, object }) => ({ id, object })),
    ...recorded.map((id) => ({ id, object: undefined })),
  ];
  const outside = undeclaredDependencies(declared.value);
  const rights = rightsOf(command, { deployment, objects, outside, resourceOf, byKind });
  const assumed = objects.flatMap(({ id: { group, kind } }) => {
    const { plural, assumed: isAssumed } = resourceOf(group, kind);
    return isAssumed ? [`${plural}.${group}`] : [];
  });
  return ok({ rights, assumed: [...new Set(assumed)].toSorted() });
}
