import { isList, isObject, type Json } from "../model/json.ts";
import { holdsSecrets, type LateText, type Steps, valueAt } from "../model/late-text.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import { sameJson } from "../model/same-json.ts";

/**
 * The change without the values of Secrets that references put into it. What stands in their places is hidden, and so is
 * every text that holds such a value, since a list may have got other items meanwhile.
 */
export function withoutSecretTexts(change: Change): Change {
  const { live, predicted, desired, late = [] } = change;
  const secret = late.filter((text) => holdsSecrets([text]));
  if (secret.length === 0) return change;
  const after = (object: KubeObject) =>
    hide(object, secret, (path, value) => toWord(path, value, live));
  return {
    ...change,
    desired: after(desired),
    predicted: predicted && after(predicted),
    live: live && hide(live, secret, () => "(hidden)"),
  };
}

function toWord(path: Steps, value: Json, live: KubeObject | undefined): string {
  const before = valueAt(live, path);
  if (before === undefined) return "(added)";
  return sameJson(before, value) ? "(hidden)" : "(changed)";
}

type ToWord = (path: Steps, value: Json) => string;

function hide(object: KubeObject, secret: readonly LateText[], word: ToWord): KubeObject {
  const places = new Set(secret.map(({ path }) => JSON.stringify(path)));
  const texts = secret.flatMap(({ hides }) => hides);
  const walk = (value: Json, path: Steps): Json => {
    if (places.has(JSON.stringify(path)) || holdsOneOf(texts, value)) return word(path, value);
    if (isList(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, walk(inner, [...path, name])]),
    );
  };
  return walk(object, []) as KubeObject;
}

/** A short value would hide half of the object if it counted within other texts too. */
const shortest = 4;

function holdsOneOf(secrets: readonly string[], value: Json): boolean {
  if (isList(value) || isObject(value) || value === null) return false;
  const text = String(value);
  return secrets.some((each) => text === each || (each.length >= shortest && text.includes(each)));
}
