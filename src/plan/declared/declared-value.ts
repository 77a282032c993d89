import { fieldOf, isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { type ValuePath, valueAt } from "../../model/plan/apply-time-reference.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import { fromBase64, toBase64 } from "../../model/text/base64.ts";
import { referencePieces } from "../../model/text/reference-text.ts";
import {
  canContainSecrets,
  hasSecretKind,
  isSensitiveObject,
} from "../../redaction/sensitive-object.ts";

/**
 * Reports whether Kubernetes takes only strings at a path of an object.
 * A number or boolean from a reference must become a string there. Such places are `data` of a
 * ConfigMap, `stringData` of a Secret, all labels and annotations, and the commands, arguments and
 * environment of containers.
 */
export function isStringPlace(object: JsonObject, path: ValuePath): boolean {
  const [top] = path;
  if (path.length === 2 && top === stringField(object)) return true;
  const [parent, field, last] = path.slice(-3);
  if (parent === "metadata") return field === "labels" || field === "annotations";
  if (field === "args" || field === "command") return isContainer(path.slice(0, -2));
  return last === "value" && parent === "env" && isContainer(path.slice(0, -3));
}

function stringField(object: JsonObject): string | undefined {
  if (textAt(object, "apiVersion") !== "v1") return undefined;
  return fieldOf(stringFields, textAt(object, "kind") ?? "");
}

const stringFields: Readonly<Record<string, string>> = { ConfigMap: "data", Secret: "stringData" };

const containerLists: ReadonlySet<string | number | undefined> = new Set([
  "containers",
  "initContainers",
]);

function isContainer(path: ValuePath): boolean {
  return typeof path.at(-1) === "number" && containerLists.has(path.at(-2));
}

/**
 * Reports whether a path can lead to a Secret's value.
 * Everything except the identity of the Secret can: kubectl repeats all of it in an annotation. A
 * kind with a reference in it might be a Secret.
 */
export function isSecretValue({ object }: Manifest, [first, second]: ValuePath): boolean {
  const kind = typeof object.kind === "string" ? object.kind : "";
  if (!hasSecretKind(object) && !isSensitiveObject(object) && !kind.includes("$"))
    return first === "spec" && canContainSecrets(object);
  return first !== "metadata" || !identityFields.has(second);
}

const identityFields: ReadonlySet<ValuePath[number] | undefined> = new Set([
  ...["name", "namespace", "labels", "uid", "resourceVersion", "generation", "creationTimestamp"],
]);

/**
 * Returns the value that a manifest declares at a path.
 * Some adapters write a `status`, but qvs never sends it: the cluster writes its own.
 */
export function declaredValue(target: Manifest, path: ValuePath): Json | undefined {
  const [part, key, ...below] = path;
  if (part === "status") return undefined;
  const isData =
    isCoreObject(target.object, "Secret") && (part === "data" || part === "stringData");
  if (!isData || below.length > 0) return valueAt(target.object, path);
  if (key !== undefined) return secretDataValue(target, part, key);
  const keys = ["data", "stringData"].flatMap((each) => {
    const values = valueAt(target.object, [each]);
    return isObject(values) ? Object.keys(values) : [];
  });
  const found = [...new Set(keys)].flatMap((each) => {
    const value = secretDataValue(target, part, each);
    return value === undefined ? [] : [[each, value] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * Returns a value of a Secret's data.
 * `data` and `stringData` are equivalent to the API server, and `stringData` wins. A string with
 * references has no other form before they are resolved. qvs reads it from the applied Secret
 * instead.
 */
function secretDataValue(
  target: Manifest,
  part: "data" | "stringData",
  key: string | number,
): Json | undefined {
  const text = valueAt(target.object, ["stringData", key]);
  const bytes = valueAt(target.object, ["data", key]);
  if (part === "stringData") {
    const whole = plainText(target, bytes);
    return text ?? (whole === undefined ? undefined : fromBase64(whole));
  }
  if (text === undefined) return bytes;
  const whole = plainText(target, text);
  return whole === undefined ? undefined : toBase64(whole);
}

/** Returns a string without its escapes; undefined if it contains references. */
function plainText(target: Manifest, text: Json | undefined): string | undefined {
  if (typeof text !== "string") return undefined;
  if (target.isLiteral === true) return text;
  const pieces = referencePieces(text, isPulumi(target));
  if (pieces.some(({ type }) => type === "reference")) return undefined;
  return pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

/** Reports whether a manifest has references in Pulumi's notation. */
export function isPulumi({ pulumi }: Manifest): boolean {
  return pulumi === true;
}
