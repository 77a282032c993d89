import { selectReferences } from "../model/apply-time-reference.ts";
import { definesKind, namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import { keyMatchesKind } from "../model/object.ts";
import type { LiveObjects } from "../model/release.ts";
import { noUpstreamDeployments } from "../model/upstream-deployments.ts";
import type { DeclaredObject, DesiredObject } from "./declared/objects.ts";
import { isThere, waitedFor } from "./earlier.ts";
import type { Desired } from "./plan-input.ts";

/** Objects with their dependencies. */
export type Waiting = Pick<Desired, "objects" | "byKey" | "edges" | "toEarlier">;

/**
 * Returns the key of an object whose value is known only after the deployment changes it.
 * Until then, qvs can't ask the API server. In a preview, every Secret is such an object.
 */
export function awaitedValue(
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
export function awaitedFoundation(
  { key, id }: Pick<DeclaredObject, "key" | "id">,
  desired: Waiting,
  live: LiveObjects,
  earlier = noUpstreamDeployments,
): string | undefined {
  const definition = (on: string) =>
    desired.byKey.get(on)?.object ?? earlier.changes.get(on)?.desired;
  return waitedFor(key, desired)
    .map((edge) => edge.on)
    .filter((on) => !isThere(on, live, earlier))
    .find((on) => {
      if (!keyMatchesKind(on, definitions)) return on === namespaceKey(id.namespace);
      const object = definition(on);
      return object !== undefined && definesKind(object, id);
    });
}

const definitions = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };
