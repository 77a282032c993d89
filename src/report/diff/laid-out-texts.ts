import { Composer, type Document, isScalar, visit } from "yaml";
import { fieldOf, isList, isObject, type Json, nestsTooDeep } from "../../model/json.ts";
import { yamlTokens } from "../../model/text/yaml-tokens.ts";
import { toYaml } from "../text/yaml.ts";

type Texts = { readonly before: string; readonly after: string };

/**
 * Lays out two texts of JSON or YAML with the fields in one order. Returns undefined where the laid
 * out text would say anything else than either text does: `1.10` is no `1.1` to a reader.
 */
export function laidOutTexts(before: string, after: string): Texts | undefined {
  return bothJson(before, after) ?? bothYaml(before, after);
}

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
  if (!isLikeJson(text) || nestsTooDeep(text)) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return withoutSpaces(text) === JSON.stringify(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** Drops the white space between the values of a JSON text, and keeps what is within strings. */
function withoutSpaces(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

/** Only what is a plain map or list: no anchors, no tags, no second document. */
function parseYaml(text: string): Json | undefined {
  if (text.length > longestYaml || isLikeJson(text)) return undefined;
  if (/[&*!]|^---/m.test(text)) return undefined;
  const read = yamlTokens(text);
  if ("tooDeepAt" in read) return undefined;
  // The duplicates that the composer would look for cost quadratic time.
  const composer = new Composer({ strict: true, uniqueKeys: false });
  const [document, ...others] = composer.compose(read.tokens, true, text.length);
  if (document === undefined || others.length > 0) return undefined;
  if (document.errors.length + document.warnings.length > 0) return undefined;
  const value: Json = document.toJS();
  const isShown = (isObject(value) || isList(value)) && hasPlainKeys(document) && isExact(document);
  return isShown ? value : undefined;
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

/**
 * Returns whether each value and key would be written as it is, or in a way that means the same to
 * all readers. Quotation marks and blocks always make a text. What has neither can be a number or
 * a boolean, to readers of YAML 1.1 or of 1.2.
 */
function isExact(document: Document): boolean {
  const plain: { readonly source: string; readonly value: Json }[] = [];
  visit(document, {
    Scalar: (place, { type, source = "", value }) => {
      if (type !== "PLAIN" || (value === null && place !== "key")) return;
      plain.push({ source, value: place === "key" ? String(value) : (value as Json) });
    },
  });
  const asWritten = plain.map(({ source }) => `- ${source}\n`).join("");
  return plain.length === 0 || toYaml(plain.map(({ value }) => value)) === asWritten;
}

const longestYaml = 50_000;

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(fieldOf(value, name) ?? null)]));
}
