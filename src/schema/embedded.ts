import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { Violation } from "./structural.ts";

/** What is wrong with what names an object that is embedded in another (`x-kubernetes-embedded-resource`). Which fields it must have is of its type. */
export function embeddedFlaws(value: Json, schema: JsonObject): readonly Violation[] {
  if (!isEmbedded(schema) || !isObject(value)) return [];
  const { apiVersion, kind } = value;
  const isVersion = typeof apiVersion !== "string" || /^[^/]+(\/[^/]*)?$/.test(apiVersion);
  const isKind = typeof kind !== "string" || /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/i.test(kind);
  return [
    ...(isVersion ? [] : [{ path: ["apiVersion"], what: "must be a group and a version" }]),
    ...(isKind ? [] : [{ path: ["kind"], what: "must be a name of letters, digits and dashes" }]),
  ];
}

export function isEmbedded(schema: JsonObject): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

/** Whether nothing in it is for the server to find wrong. Much more than this is right. */
export function isPlainMetadata(metadata: Json | undefined): boolean {
  if (metadata === undefined) return true;
  return isObject(metadata) && Object.entries(metadata).every(isPlainField);
}

function isPlainField([field, value]: readonly [string, Json]): boolean {
  switch (field) {
    case "name":
      return typeof value === "string" && value.length <= 253 && subdomain.test(value);
    case "namespace":
      return typeof value === "string" && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value);
    case "labels":
      return isObject(value) && Object.entries(value).every(isPlainLabel);
    case "annotations":
      return (
        isObject(value) &&
        Object.entries(value).every(([key, text]) => isKey(key) && typeof text === "string") &&
        JSON.stringify(value).length < longestAnnotations
      );
    default:
      return false;
  }
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** The server counts 256 KiB of bytes, of which a character may take four. */
const longestAnnotations = 65_536;

function isKey(key: string): boolean {
  const [name = "", prefix, ...more] = key.split("/").toReversed();
  const isPrefix = prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
  return more.length === 0 && isPrefix && /^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(name);
}

function isPlainLabel([key, value]: readonly [string, Json]): boolean {
  const isValue = /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/;
  return isKey(key) && typeof value === "string" && isValue.test(value);
}
