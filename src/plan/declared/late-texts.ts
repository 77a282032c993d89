import { toBase64 } from "../../model/base64.ts";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  assemble,
  holdsSecrets,
  knownLater,
  type LateText,
  type LiveReference,
  leavesOf,
  liveValueAt,
  referencesAmong,
  type Steps,
  valueAt,
  withValueAt,
  writtenText,
} from "../../model/late-text.ts";
import type { KubeObject } from "../../model/object.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { DesiredObject } from "./desired.ts";
import type { UnsettledText } from "./references.ts";

/**
 * The objects with a value in place of every reference that was left for later: what is declared, what is live already,
 * or the words that it is known after deploy. After everything else that changes the objects, since it keeps the places.
 */
export function settleLateTexts(
  objects: readonly DesiredObject[],
  live: LiveObjects,
): readonly DesiredObject[] {
  const keys = new Map(objects.map(({ stage, resource, key }) => [`${stage}/${resource}`, key]));
  const keyOf = (resource: string): string => {
    const key = keys.get(resource);
    if (key === undefined) throw new Error(`no object of the resource ${resource}`);
    return key;
  };
  return objects.map((desired) => {
    const { references = [], ignoring } = desired;
    if (references.length === 0) return desired;
    // What is to stay has its places to itself, and an object that is made anew may keep more of it.
    const settle = (object: KubeObject) =>
      settled(placedIn(object, references, keyOf), object, live);
    if (ignoring === undefined) return { ...desired, ...settle(desired.object) };
    const sent = new Set(placesOf(desired.object, references).map(({ text }) => text));
    const unsent = references.filter((text) => !sent.has(text));
    return {
      ...desired,
      ...settle(desired.object),
      ...keptSecretsAmong(placedIn(ignoring.declared, unsent, keyOf), live),
      ignoring: { ...ignoring, anew: settle(ignoring.anew.object) },
    };
  });
}

function placedIn(
  object: KubeObject,
  references: readonly UnsettledText[],
  keyOf: (resource: string) => string,
): readonly Placed[] {
  return placesOf(object, references).map(({ path, text, base64 }) => {
    const pieces = text.pieces.map((piece) => {
      if (typeof piece === "string") return piece;
      const { stage, resource, ...rest } = piece;
      return { ...rest, on: keyOf(`${stage}/${resource}`) };
    });
    return { path, pieces, base64 };
  });
}

function settled(
  placed: readonly Placed[],
  object: KubeObject,
  live: LiveObjects,
): { readonly object: KubeObject; readonly late: readonly LateText[] } {
  const whole = placed.reduce(
    (part, text) => withValueAt(part, text.path, presentValue(text, live)),
    object,
  );
  return { object: whole, late: placed.map((text) => lateText(text, live)) };
}

function keptSecretsAmong(
  unsent: readonly Placed[],
  live: LiveObjects,
): Pick<DesiredObject, "keptSecrets"> {
  const keptSecrets = unsent
    .filter((text) => holdsSecrets([text]))
    .map((text) => ({ path: text.path, hides: valuesToHide(text, live) }));
  return keptSecrets.length === 0 ? {} : { keptSecrets };
}

/** The object as a release records it: with its references, so that a rollback resolves them anew. */
export function withReferences({ object, references = [] }: DesiredObject): KubeObject {
  let written = object;
  const texts: Record<string, string> = {};
  for (const { path, text, base64 } of placesOf(object, references)) {
    written = withValueAt(written, path, writtenText(text.pieces));
    if (base64) texts[String(path.at(-1))] = writtenText(text.pieces);
  }
  return Object.keys(texts).length === 0 ? written : withStringData(written, texts);
}

/** As `stringData`: what is not resolved yet can't be Base64. */
function withStringData(object: KubeObject, texts: Readonly<Record<string, string>>): KubeObject {
  const data = isObject(object.data) ? Object.entries(object.data) : [];
  const others = data.filter(([name]) => !Object.hasOwn(texts, name));
  return { ...object, data: Object.fromEntries(others), stringData: texts };
}

type Placed = Pick<LateText, "path" | "pieces" | "base64">;

function lateText(text: Placed, live: LiveObjects): LateText {
  const unknown = referencesAmong(text.pieces).find(
    (reference) => knownValue(reference, live) === undefined,
  );
  return { ...text, awaits: unknown?.on, hides: valuesToHide(text, live) };
}

function presentValue(text: Placed, live: LiveObjects): Json {
  return assemble(text, (reference) => knownValue(reference, live) ?? knownLater) ?? knownLater;
}

function knownValue({ on, path, declared }: LiveReference, live: LiveObjects): Json | undefined {
  return declared ?? liveValueAt(live.get(on), path);
}

/** The old value too: it is live where it was used until now. */
function valuesToHide({ pieces }: Placed, live: LiveObjects): readonly string[] {
  const values = referencesAmong(pieces)
    .filter(({ secret }) => secret)
    .flatMap(({ on, path, declared }) => [
      declared,
      valueAt(live.get(on), path),
      ...(path[0] === "stringData"
        ? [decoded(valueAt(live.get(on), ["data", ...path.slice(1)]))]
        : []),
    ]);
  const texts = values.flatMap((value) => (value === undefined ? [] : leavesOf(value)));
  return [...new Set(texts)].filter((text) => text !== "");
}

function decoded(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? Buffer.from(value, "base64").toString() : undefined;
}

interface Place {
  readonly path: Steps;
  readonly text: UnsettledText;
  readonly base64: boolean;
}

/** Where the tokens stand. Those of a Secret's `stringData` have become Base64 with it. */
function placesOf(object: KubeObject, references: readonly UnsettledText[]): readonly Place[] {
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
  path: Steps,
): readonly { readonly path: Steps; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (isList(value)) return value.flatMap((item, index) => strings(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => strings(inner, [...path, name]));
}
