import type { KubeObject } from "../../model/object.ts";
import { mayHoldSecrets } from "../../redaction/secret-like.ts";
import { findField } from "./field-path.ts";

/** A field that we declare and somebody else has set to another value, in words. */
interface ConflictingField {
  readonly path: string;
  /** `: live 3, desired 2`; empty where values must not be shown. */
  readonly values: string;
  /** What forcing would do to it, ` 3 → 2`; empty where values must not be shown, or are long. */
  readonly change: string;
}

const shortValues = 40;

/** `object` as it may be spoken of: of a Secret no value is told, and what is live only of an object that is ours. */
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
