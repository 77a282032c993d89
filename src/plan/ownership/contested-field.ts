import type { KubeObject } from "../../model/object.ts";
import { findField } from "./field-path.ts";

/** A field that we declare and somebody else has set to another value, in words. */
interface ContestedField {
  readonly path: string;
  /** `: live 3, wanted 2`; empty where values must not be shown. */
  readonly values: string;
}

/** `object` as it may be spoken of: of a Secret no value is told. */
export function contestedField(
  object: KubeObject,
  live: KubeObject | undefined,
  { field }: { readonly field: string },
): ContestedField {
  const { path, value } = findField(object, field);
  if (object.kind === "Secret") return { path, values: "" };
  const found = live === undefined ? undefined : findField(live, field).value;
  return { path, values: `: live ${JSON.stringify(found)}, wanted ${JSON.stringify(value)}` };
}
