import type { InputObject } from "../model/config.ts";
import { at, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { isSensitiveField, isSensitiveName } from "./sensitive-name.ts";
import { isSensitiveObject } from "./sensitive-object.ts";

/** Returns the parameters in a field with a sensitive name, or in a Secret. */
export function secretSources({ object, places }: InputObject): readonly string[] {
  // Most parts of a rendered object have no parameter.
  const written = places.filter(({ from = [] }) => from.length > 0);
  const isSecret = written.length > 0 && isSensitiveObject(object);
  return written
    .filter(({ path }) => isSecret || path.some(isSensitiveName) || isSensitiveAt(object, path))
    .flatMap(({ from = [] }) => from);
}

/** Reports whether the fields next to a value say that it is a secret, as in a list of `env`. */
function isSensitiveAt(object: JsonObject, path: readonly string[]): boolean {
  const holder = path.slice(0, -1).reduce<Json | undefined>(stepInto, object);
  return isObject(holder) && isSensitiveField(holder, path.at(-1) ?? "", path.at(-2) ?? "");
}

function stepInto(value: Json | undefined, step: string): Json | undefined {
  return isList(value) ? value[Number(step)] : at(value, step);
}
