import type { KubeObject } from "../../model/object.ts";
import type { Fact } from "../../model/problems/problem.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { findField } from "./find-field.ts";

/** A declared field that another field manager set to another value. */
interface ConflictingField {
  readonly path: string;
  /** The values in the cluster and in the manifest, as JSON; empty if they must not be shown. */
  readonly values: readonly Fact[];
}

/**
 * Compares the live value with the declared one.
 * It shows no values of a Secret, and live values only of this deployment's own objects.
 */
export function conflictingField(
  object: KubeObject,
  live: KubeObject | "not ours" | undefined,
  { field }: { readonly field: string },
): ConflictingField {
  const { path, value } = findField(object, field);
  if (canContainSecrets(object) || live === "not ours") return { path, values: [] };
  const found = live === undefined ? undefined : findField(live, field).value;
  const [before, after] = [JSON.stringify(found), JSON.stringify(value)];
  return {
    path,
    values: [
      { label: "cluster", value: before ?? "(not set)" },
      { label: "manifest", value: after ?? "(not set)" },
    ],
  };
}
