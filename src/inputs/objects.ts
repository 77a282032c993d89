import { parseAllDocuments } from "yaml";
import { isList, isObject, type Json, textAt } from "../model/json.ts";

/**
 * Parses objects from JSON or from YAML with any number of documents, for example the output of
 * `kubectl get`. Lists become their items. Returns an error message if the text has errors.
 * Values that JSON can't express exactly become similar ones, because nothing is sent.
 */
export function parseObjects(text: string): readonly Json[] | string {
  const documents = parseJson(text) ?? parseYaml(text);
  return typeof documents === "string" ? documents : documents.flatMap(listItems);
}

/** Parses one JSON document, which is much faster than YAML. Undefined if it isn't one. */
function parseJson(text: string): readonly Json[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): readonly Json[] | string {
  const parsed: Json[] = [];
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: true });
  for (const document of "empty" in documents ? [] : documents) {
    const [error] = document.errors;
    if (error !== undefined) return error.message.split("\n")[0] ?? "";
    try {
      parsed.push(toJson(document.toJS({ maxAliasCount: 100 })));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return parsed;
}

/** Converts a value to plain JSON: dates become strings, and numbers beyond JSON become null. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Returns the objects in a document; none if it contains only comments. */
function listItems(document: Json): readonly Json[] {
  if (document === null) return [];
  if (isList(document)) return document.flatMap(listItems);
  const isListKind = isObject(document) && /List$/.test(textAt(document, "kind") ?? "");
  const items = isObject(document) ? document["items"] : undefined;
  return isListKind && isList(items) ? items.flatMap(listItems) : [document];
}
