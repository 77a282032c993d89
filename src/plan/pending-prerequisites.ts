import { selectReferences } from "../model/apply-time-reference.ts";
import { definesKind, namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import { keyMatchesKind } from "../model/object.ts";
import type { LiveObjects } from "../model/release.ts";
import { noUpstreamDeployments } from "../model/upstream-deployments.ts";
import type { DeclaredObject, DesiredObject } from "./declared/objects.ts";
import type { Desired } from "./plan-input.ts";
import { allDependencies, isExisting } from "./upstream-deployments.ts";

/** Objects with their dependencies. */
export type DependencyLinks = Pick<Desired, "objects" | "byKey" | "edges" | "upstreamEdges">;

/**
 * Returns the key of an object whose value is known only after the deployment changes it.
 * Until then, qvs can't ask the API server. In a preview, every Secret is such an object.
 */
export function pendingValue(
  { applyTimeReferences }: Pick<DesiredObject, "applyTimeReferences">,
  purpose: "preview" | "deploy" = "deploy",
): string | undefined {
  const pieces =
    purpose === "preview"
      ? applyTimeReferences.flatMap((text) => selectReferences(text.pieces))
      : [];
  const secret = pieces.find((reference) => reference.secret)?.on;
  return applyTimeReferences.find(({ awaits }) => awaits !== undefined)?.awaits ?? secret;
}

/**
 * Returns the object's own Namespace or CRD if this deployment or an upstream one creates it first.
 * Without it, the API server can't check the object. Other Namespaces and CRDs don't matter: an
 * admission policy, for example, waits for all objects of its stage.
 */
export function pendingPrerequisite(
  { key, id }: Pick<DeclaredObject, "key" | "id">,
  desired: DependencyLinks,
  live: LiveObjects,
  upstream = noUpstreamDeployments,
): string | undefined {
  const findCrd = (on: string) =>
    desired.byKey.get(on)?.object ?? upstream.changes.get(on)?.desired;
  return allDependencies(key, desired)
    .map((edge) => edge.on)
    .filter((on) => !isExisting(on, live, upstream))
    .find((on) => {
      if (!keyMatchesKind(on, crdKind)) return on === namespaceKey(id.namespace);
      const object = findCrd(on);
      return object !== undefined && definesKind(object, id);
    });
}

const crdKind = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };
