import type { KubeObject } from "../../model/object.ts";
import { mayHoldSecrets } from "../../redaction/secret-like.ts";
import { findField } from "./field-path.ts";

/** A field that we declare and somebody else has set to another value, in words. */
interface ConflictingField {
  readonly path: string;
  /** `: live 3, desired 2`; empty where values must not be shown. */
  readonly values: string;
}

/** `object` as it may be spoken of: of a Secret no value is told, and what is live only of an object that is ours. */
export function conflictingField(
  object: KubeObject,
  live: KubeObject | "not ours" | undefined,
  { field }: { readonly field: string },
): ConflictingField {
  const { path, value } = findField(object, field);
  if (mayHoldSecrets(object) || live === "not ours") return { path, values: "" };
  const found = live === undefined ? undefined : findField(live, field).value;
  return { path, values: `: live ${JSON.stringify(found)}, desired ${JSON.stringify(value)}` };
}
