import { setValue, type ValuePath, writtenText } from "../../model/apply-time-reference.ts";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { toBase64 } from "../../model/text/base64.ts";
import { escapeReferences } from "../../model/text/reference-text.ts";
import type { DeclaredObject } from "./objects.ts";
import type { UnsettledText } from "./references.ts";

/**
 * Returns a token of private-use characters: it is neither Base64 nor a string that a user writes.
 */
export function tokenOf(index: number): string {
  return `\uE000${index}\uE001`;
}

/** The place of a token. */
export interface Place {
  readonly path: ValuePath;
  readonly text: UnsettledText;
  readonly base64: boolean;
}

/** Finds the places of tokens. Tokens in a Secret's `stringData` have become Base64 with it. */
export function placesOf(
  object: KubeObject,
  references: readonly UnsettledText[],
): readonly Place[] {
  const byToken = new Map(
    references.flatMap((text): [string, Omit<Place, "path">][] => [
      [text.token, { text, base64: false }],
      [toBase64(text.token), { text, base64: true }],
    ]),
  );
  return strings(object, []).flatMap(({ path, text }) => {
    const found = byToken.get(text);
    return found === undefined ? [] : [{ path, ...found }];
  });
}

function strings(
  value: Json | JsonObject,
  path: ValuePath,
): readonly { readonly path: ValuePath; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (isList(value)) return value.flatMap((item, index) => strings(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => strings(inner, [...path, name]));
}

/**
 * Returns the object as a release records it.
 * It contains the references, so that a rollback resolves them again.
 */
export function withReferences({ object, references }: DeclaredObject): KubeObject {
  let written = escapeReferences(object);
  const texts = new Map<string, string>();
  for (const { path, text, base64 } of placesOf(object, references)) {
    written = setValue(written, path, writtenText(text.pieces));
    if (base64) texts.set(String(path.at(-1)), writtenText(text.pieces));
  }
  return texts.size === 0 ? written : withStringData(written, texts);
}

/** Moves unresolved strings to `stringData`, because they can't be Base64 yet. */
function withStringData(object: KubeObject, texts: ReadonlyMap<string, string>): KubeObject {
  const data = isObject(object.data) ? Object.entries(object.data) : [];
  const others = data.filter(([name]) => !texts.has(name));
  return { ...object, data: Object.fromEntries(others), stringData: Object.fromEntries(texts) };
}
