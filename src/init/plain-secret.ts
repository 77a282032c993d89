import { at, isList, isObject, type Json } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { isLikelySecretValue, isSensitiveName } from "../redaction/sensitive-name.ts";
import { isSensitiveKind } from "../redaction/sensitive-object.ts";

/**
 * Reports whether an object seems to contain a secret in plain text.
 * The name of a field or the look of a value shows it.
 */
export function containsPlainSecret(object: KubeObject): boolean {
  const data = object.kind === "ConfigMap" ? ["data", "binaryData"] : [];
  const keys = data.flatMap((field) => Object.keys(at(object, field) ?? {}));
  return keys.some(isSensitiveName) || hasPlainSecret(object);
}

function hasPlainSecret(value: Json): boolean {
  if (typeof value === "string")
    return isLikelySecretValue(value) || isSecretCopy(value) || isSecretFlag(value);
  if (isList(value)) return value.some(hasPlainSecret);
  if (!isObject(value)) return false;
  const { name, value: given } = value;
  if (typeof name === "string" && typeof given === "string" && isSensitiveName(name)) return true;
  return Object.entries(value).some(
    ([field, inner]) =>
      (typeof inner === "string" &&
        inner !== "" &&
        isSensitiveName(field) &&
        !isLocationName(field)) ||
      hasPlainSecret(inner),
  );
}

/** Reports whether a string contains a copy of a Secret, as other tools keep in annotations. */
function isSecretCopy(text: string): boolean {
  const kinds = text.matchAll(/"kind"\s{0,9}:\s{0,9}"([^"\\]{1,80})"/g);
  return [...kinds].some(([, kind = ""]) => isSensitiveKind(kind));
}

/**
 * Reports whether a string is a flag with a secret: `--db-password=…`, but not `--token-file=…`.
 */
function isSecretFlag(text: string): boolean {
  const [, name] = /^--?([\w-]+)=[^$]/.exec(text) ?? [];
  return name !== undefined && isSensitiveName(name) && !isLocationName(name);
}

function isLocationName(name: string): boolean {
  return /(?:file|path|dir|url|key|store|class|type|policy|provider|namespace|version)$/i.test(
    name,
  );
}
