import { isList, isObject, type Json } from "../model/json.ts";

/**
 * An expression in place of a value, e.g. `parameters.image`.
 * It is a class, because a manifest can have fields of any name.
 */
export class CueExpression {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** JSON in which some values can be expressions. */
export type CueSource =
  | CueExpression
  | Json
  | readonly CueSource[]
  | { readonly [name: string]: CueSource };

/**
 * Returns the value as CUE in the format of `cue fmt`, but without aligned columns.
 * Lines after the first one start with `indent`.
 */
export function renderCue(value: CueSource, indent = ""): string {
  if (value instanceof CueExpression) return value.text;
  if (typeof value === "string") return renderText(value, indent);
  if (Array.isArray(value)) return renderList(value, indent);
  if (value === null || typeof value !== "object") return String(value);
  return renderStruct(value as { readonly [name: string]: CueSource }, indent);
}

/** Returns the fields of a struct without its braces, one per line. */
export function renderFields(
  fields: { readonly [name: string]: CueSource },
  indent: string,
): string {
  return Object.entries(fields)
    .map(([name, value]) => `${indent}${renderField(name, value, indent)}\n`)
    .join("");
}

/** Returns a field as CUE. A struct with one field needs no braces: `metadata: name: "web"`. */
function renderField(name: string, value: CueSource, indent: string): string {
  const [only, ...others] = structFields(value) ?? [];
  if (only === undefined || others.length > 0)
    return `${fieldLabel(name)}: ${renderCue(value, indent)}`;
  return `${fieldLabel(name)}: ${renderField(...only, indent)}`;
}

function renderStruct(value: { readonly [name: string]: CueSource }, indent: string): string {
  const fields = Object.entries(value);
  const [only] = fields;
  if (only === undefined) return "{}";
  if (fields.length === 1 && isScalar(only[1])) return `{${renderField(...only, indent)}}`;
  return `{\n${renderFields(value, `${indent}\t`)}${indent}}`;
}

function renderList(items: readonly CueSource[], indent: string): string {
  // Each item is rendered only once: twice at each of many levels would take exponential time.
  const areStructs = items.every((item) => structFields(item) !== undefined);
  if (areStructs || items.every(isShort)) {
    const line = `[${items.map((item) => renderCue(item, indent)).join(", ")}]`;
    if (areStructs || line.length <= 80) return line;
  }
  const inner = `${indent}\t`;
  return `[\n${items.map((item) => `${inner}${renderCue(item, inner)},\n`).join("")}${indent}]`;
}

/**
 * Returns a string as CUE; a string of several lines keeps its lines.
 * It escapes everything that CUE would read as a quotation mark, an escape or an interpolation.
 */
function renderText(text: string, indent: string): string {
  if (!/\n./s.test(text)) return quoted(text);
  const inner = `${indent}\t`;
  const lines = escaped(text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""')).split("\n");
  const body = lines.map((line) => (line === "" ? "" : `${inner}${line}`)).join("\n");
  return `"""\n${body}\n${inner}"""`;
}

function quoted(text: string): string {
  const marks = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped(marks).replaceAll("\t", "\\t")}"`;
}

/**
 * Escapes control characters and characters that an editor doesn't show.
 * CUE drops a carriage return that isn't escaped.
 */
function escaped(text: string): string {
  return text.replaceAll(
    /[^\n\t\P{C}]|[\u2028\u2029]/gu,
    (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, "0")}`,
  );
}

/**
 * Returns a field name as CUE, with quotes if necessary.
 * CUE can't reference a quoted name. No field of a manifest can therefore hide the adapter's own
 * `parameters`.
 */
function fieldLabel(name: string): string {
  return /^[A-Za-z][\w]*$/.test(name) && !reserved.has(name) ? name : quoted(name);
}

const reserved: ReadonlySet<string> = new Set([
  ...["for", "if", "in", "let", "import", "package", "true", "false", "null", "parameters"],
  ...["try", "else", "otherwise", "func"],
]);

function structFields(value: CueSource): readonly (readonly [string, CueSource])[] | undefined {
  return value instanceof CueExpression || !isObject(value as Json) || isList(value as Json)
    ? undefined
    : Object.entries(value as { readonly [name: string]: CueSource });
}

function isShort(value: CueSource): boolean {
  const fields = structFields(value);
  if (fields === undefined) return isScalar(value);
  return fields.length <= 3 && fields.every(([, inner]) => isScalar(inner));
}

function isScalar(value: CueSource): boolean {
  if (value instanceof CueExpression) return true;
  if (typeof value === "string") return !value.includes("\n");
  return value === null || typeof value !== "object";
}
