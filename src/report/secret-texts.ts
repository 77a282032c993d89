import { isList, isObject, type Json } from "../model/json.ts";
import {
  holdsOneOf,
  holdsSecrets,
  type KeptSecret,
  type LateText,
  type Steps,
  valueAt,
} from "../model/late-text.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import { sameJson } from "../model/same-json.ts";

/**
 * The change without the values of Secrets that references put into it. What stands in their places is hidden, and so is
 * every text that holds such a value, since a list may have got other items meanwhile.
 */
export function withoutSecretTexts(change: Change): Change {
  const { live, predicted, desired, late = [], keptSecrets = [], formerSecrets = [] } = change;
  const secret = {
    placed: late.filter((text) => holdsSecrets([text])),
    kept: keptSecrets,
    former: formerSecrets,
  };
  if (Object.values(secret).every((found) => found.length === 0)) return change;
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

interface Secrets {
  readonly placed: readonly LateText[];
  readonly kept: readonly KeptSecret[];
  readonly former: readonly string[];
}

function hide(object: KubeObject, { placed, kept, former }: Secrets, word: ToWord): KubeObject {
  const places = new Set(placed.map(({ path }) => JSON.stringify(path)));
  const anyItems = new Set(kept.map(({ path }) => ofAnyItem(path)));
  const texts = [...[...placed, ...kept].flatMap(({ hides }) => hides), ...former];
  const walk = (value: Json, path: Steps): Json => {
    const isSecret = places.has(JSON.stringify(path)) || anyItems.has(ofAnyItem(path));
    if (isSecret || holdsOneOf(texts, value)) return word(path, value);
    if (isList(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, walk(inner, [...path, name])]),
    );
  };
  return walk(object, []) as KubeObject;
}

function ofAnyItem(path: Steps): string {
  return JSON.stringify(path.map((step) => (typeof step === "number" ? 0 : step)));
}
