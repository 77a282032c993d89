import { Composer, type Document, isScalar, visit } from "yaml";
import { holdsOneOf } from "../../model/apply-time-reference.ts";
import { keysOfItems, keyText } from "../../model/fields/field-differences.ts";
import { fieldOf, isList, isObject, type Json, nestsTooDeep, sameJson } from "../../model/json.ts";
import { yamlTokens } from "../../model/text/yaml-tokens.ts";
import type { RedactedPair } from "../../redaction/secret-view.ts";
import { toYaml } from "../text/yaml.ts";

/**
 * Both sides of a comparison as a person would lay them out to compare them: documents within texts are spread over lines in one order of
 * fields, and items of lists that have only moved stand where they stood.
 */
export function readable({ before, after }: RedactedPair, hides: readonly string[]): RedactedPair {
  if (before === undefined || after === undefined) return { before, after };
  return layOut(before, after, "", hides);
}

interface BothSides {
  readonly before: Json;
  readonly after: Json;
}

function layOut(before: Json, after: Json, name: string, hides: readonly string[]): BothSides {
  if (isObject(before) && isObject(after)) {
    const sides = Object.keys(after).map((key) => {
      const [a, b] = [fieldOf(before, key), fieldOf(after, key) ?? null];
      return [key, a === undefined ? undefined : layOut(a, b, key, hides)] as const;
    });
    const laidOut = sides.flatMap(([key, both]) =>
      both === undefined ? [] : [[key, both] as const],
    );
    const of = (side: keyof BothSides) =>
      Object.fromEntries(laidOut.map(([key, both]) => [key, both[side]]));
    return { before: { ...before, ...of("before") }, after: { ...after, ...of("after") } };
  }
  if (isList(before) && isList(after)) return layOutItems(before, after, name, hides);
  return typeof before === "string" && typeof after === "string"
    ? layOutTexts(before, after, hides)
    : { before, after };
}

/** In what order they stand means something: what runs first, or may use what stands before. */
const ordered: ReadonlySet<string> = new Set([
  "initContainers",
  "env",
  "envFrom",
  "steps",
  "rules",
]);

function layOutItems(
  before: readonly Json[],
  after: readonly Json[],
  name: string,
  hides: readonly string[],
): BothSides {
  const keys = keysOfItems(before, after);
  if (keys === undefined) return { before, after };
  const places = new Map(before.map((item, place) => [keyText(item, keys), place]));
  const placeOf = (item: Json) => places.get(keyText(item, keys)) ?? before.length;
  const items = ordered.has(name) ? after : after.toSorted((a, b) => placeOf(a) - placeOf(b));
  const now = new Map(items.map((item) => [keyText(item, keys), item]));
  const both = before.map((item) => {
    const same = now.get(keyText(item, keys));
    return same === undefined ? undefined : layOut(item, same, "", hides);
  });
  return {
    before: before.map((item, place) => both[place]?.before ?? item),
    after: items.map((item) => both[placeOf(item)]?.after ?? item),
  };
}

/** What only looks different in its text is shown as it is written: something did change. */
function layOutTexts(before: string, after: string, hides: readonly string[]): BothSides {
  const asWritten = { before, after };
  if (before === after) return asWritten;
  const both = bothJson(before, after) ?? bothYaml(before, after);
  if (both === undefined || both.before === both.after) return asWritten;
  const isSafe = !holdsOneOf(hides, both.before) && !holdsOneOf(hides, both.after);
  return isSafe ? both : asWritten;
}

type Texts = { readonly before: string; readonly after: string };

function bothJson(before: string, after: string): Texts | undefined {
  const [a, b] = [parseJson(before), parseJson(after)];
  if (a === undefined || b === undefined) return undefined;
  const write = (value: Json) => `${JSON.stringify(sorted(value), null, 2)}\n`;
  return { before: write(a), after: write(b) };
}

/** Comments would be lost, and with them what may have changed. */
function bothYaml(before: string, after: string): Texts | undefined {
  if ([before, after].some((text) => text.includes("#") || !text.trimEnd().includes("\n"))) {
    return undefined;
  }
  const [a, b] = [parseYaml(before), parseYaml(after)];
  if (a === undefined || b === undefined) return undefined;
  return { before: toYaml(a), after: toYaml(b) };
}

function parseJson(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text) || nestsTooDeep(text)) return undefined;
  try {
    const value: Json = JSON.parse(text);
    // Numbers beyond those of JavaScript, or a field given twice, would be shown as what they are not.
    return sameJson(JSON.parse(JSON.stringify(value)), value) && isExact(text, value)
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

function isExact(text: string, value: Json): boolean {
  return text.replaceAll(/\s/g, "").length === JSON.stringify(value).replaceAll(/\s/g, "").length;
}

/** Only what is a plain map or list: no anchors, no tags, no second document. */
function parseYaml(text: string): Json | undefined {
  if (text.length > longestYaml || /[&*!]|^---/m.test(text)) return undefined;
  const read = yamlTokens(text);
  if ("tooDeepAt" in read) return undefined;
  // The duplicates that the composer would look for cost quadratic time.
  const composer = new Composer({ strict: true, uniqueKeys: false });
  const [document] = composer.compose(read.tokens, true, text.length);
  if (document === undefined || document.errors.length + document.warnings.length > 0)
    return undefined;
  const value: Json = document.toJS();
  return (isObject(value) || isList(value)) && hasPlainKeys(document) ? value : undefined;
}

/** Whether each key is a text or a number, and none is in a map twice. */
function hasPlainKeys(document: Document): boolean {
  let arePlain = true;
  visit(document, {
    Map: (_, { items }) => {
      const keys = items.map(({ key }) => (isScalar(key) ? String(key.value) : undefined));
      if (!keys.includes(undefined) && new Set(keys).size === keys.length) return undefined;
      arePlain = false;
      return visit.BREAK;
    },
  });
  return arePlain;
}

const longestYaml = 50_000;

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(fieldOf(value, name) ?? null)]));
}
