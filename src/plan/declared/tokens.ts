import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { setValue, type ValuePath, writtenText } from "../../model/plan/apply-time-reference.ts";
import { toBase64 } from "../../model/text/base64.ts";
import { escapeReferences } from "../../model/text/reference-text.ts";
import type { DeclaredObject } from "./objects.ts";
import type { PendingText } from "./references.ts";

/**
 * Returns a token of private-use characters: it is neither Base64 nor a string that a user writes.
 */
export function referenceToken(index: number): string {
  return `\uE000${index}\uE001`;
}

/** The place of a token. */
export interface TokenPlace {
  readonly path: ValuePath;
  readonly text: PendingText;
  readonly base64: boolean;
}

/** Finds the places of tokens. Tokens in a Secret's `stringData` have become Base64 with it. */
export function tokenPlaces(
  object: KubeObject,
  references: readonly PendingText[],
): readonly TokenPlace[] {
  const byToken = new Map(
    references.flatMap((text): [string, Omit<TokenPlace, "path">][] => [
      [text.token, { text, base64: false }],
      [toBase64(text.token), { text, base64: true }],
    ]),
  );
  return findStrings(object, []).flatMap(({ path, text }) => {
    const found = byToken.get(text);
    return found === undefined ? [] : [{ path, ...found }];
  });
}

function findStrings(
  value: Json | JsonObject,
  path: ValuePath,
): readonly { readonly path: ValuePath; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (isList(value)) return value.flatMap((item, index) => findStrings(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => findStrings(inner, [...path, name]));
}

/**
 * Returns the object as a release records it.
 * It contains the references, so that a rollback resolves them again.
 */
export function restoreReferences({ object, references }: DeclaredObject): KubeObject {
  let written = escapeReferences(object);
  const texts = new Map<string, string>();
  for (const { path, text, base64 } of tokenPlaces(object, references)) {
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
