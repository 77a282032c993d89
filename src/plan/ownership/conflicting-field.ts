import type { KubeObject } from "../../model/object.ts";
import { mayHoldSecrets } from "../../redaction/secret-like.ts";
import { findField } from "./field-path.ts";

/** The description of a declared field that another field manager set to another value. */
interface ConflictingField {
  readonly path: string;
  /** Example: `: live 3, desired 2`. Empty if the values must not be shown. */
  readonly values: string;
  /** The effect of forcing, e.g. ` 3 → 2`. Empty if the values must not be shown or are long. */
  readonly change: string;
}

const shortValues = 40;

/**
 * Describes a field conflict.
 * It shows no values of a Secret, and live values only of this deployment's own objects.
 */
export function conflictingField(
  object: KubeObject,
  live: KubeObject | "not ours" | undefined,
  { field }: { readonly field: string },
): ConflictingField {
  const { path, value } = findField(object, field);
  if (mayHoldSecrets(object) || live === "not ours") return { path, values: "", change: "" };
  const found = live === undefined ? undefined : findField(live, field).value;
  const [before, after] = [JSON.stringify(found), JSON.stringify(value)];
  const isShort = found !== undefined && `${before}${after}`.length <= shortValues;
  return {
    path,
    values: `: live ${before}, desired ${after}`,
    change: isShort ? ` ${before} → ${after}` : "",
  };
}
