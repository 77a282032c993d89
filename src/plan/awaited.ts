import { referencesAmong } from "../model/apply-time-reference.ts";
import { definesKind, namespaceKey } from "../model/cluster/holder.ts";
import { nothingEarlier } from "../model/earlier.ts";
import { isKeyOf } from "../model/object.ts";
import type { LiveObjects } from "../model/release.ts";
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
  { late }: Pick<DesiredObject, "late">,
  purpose: "preview" | "deploy" = "deploy",
): string | undefined {
  const pieces = purpose === "preview" ? late.flatMap((text) => referencesAmong(text.pieces)) : [];
  const secret = pieces.find((reference) => reference.secret)?.on;
  return late.find(({ awaits }) => awaits !== undefined)?.awaits ?? secret;
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
  earlier = nothingEarlier,
): string | undefined {
  const definition = (on: string) =>
    desired.byKey.get(on)?.object ?? earlier.changes.get(on)?.desired;
  return waitedFor(key, desired)
    .map((edge) => edge.on)
    .filter((on) => !isThere(on, live, earlier))
    .find((on) => {
      if (!isKeyOf(on, definitions)) return on === namespaceKey(id.namespace);
      const object = definition(on);
      return object !== undefined && definesKind(object, id);
    });
}

const definitions = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };
