import { readFileSync } from "node:fs";
import { join } from "node:path";
import { code, sentence, table } from "./table.ts";

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

type Types = Readonly<Record<string, Schema>>;

/** Returns a published schema as tables: the document, then each of its types. */
export function schemaTables(file: string): string {
  const path = join(import.meta.dirname, "../../schema", file);
  const schema: Schema = JSON.parse(readFileSync(path, "utf8"));
  const types = schema.$defs ?? {};
  const sections = Object.entries(types).map(([name, type]) => describe(name, type, types));
  return [describe("Document", schema, types), ...sections].join("\n\n");
}

function describe(name: string, schema: Schema, types: Types): string {
  const about = schema.description === undefined ? [] : [sentence(schema.description)];
  const forms = schema.oneOf ?? schema.anyOf ?? [schema];
  return [`## ${name}`, ...about, ...forms.map((each) => form(each, types))].join("\n\n");
}

/** Returns an object as a table of its fields, and any other type as a line. */
function form(schema: Schema, types: Types): string {
  const { properties, required = [] } = schema;
  if (properties === undefined) return `One of ${typeOf(schema)}.`;
  const rows = Object.entries(properties).map(([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name) ? "yes" : "no",
    sentence(linked(descriptionOf(name, field, types))),
  ]);
  return table(["Field", "Type", "Required", "Meaning"], rows);
}

/**
 * Returns the description of a field, or else of its type. Every field has one, because a table has
 * no empty cell.
 */
function descriptionOf(name: string, { description, $ref }: Schema, types: Types): string {
  const text = description ?? types[typeName($ref ?? "")]?.description;
  if (text === undefined) throw new Error(`The field ${name} has no description`);
  return text;
}

function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, oneOf, items, type, properties } = schema;
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if ($ref !== undefined) return linkTo(typeName($ref));
  if (values !== undefined) return values.map((value) => code(JSON.stringify(value))).join(", ");
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return forms.map(typeOf).join(" or ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined) return `object of ${Object.keys(properties).map(code).join(", ")}`;
  return type ?? "anything";
}

function typeName($ref: string): string {
  return $ref.replace("#/$defs/", "");
}

function linkTo(name: string): string {
  return `[${name}](#${name.toLowerCase()})`;
}

/**
 * Returns a text with links to pages. The schema cites pages by their paths from the root of the
 * repository.
 */
function linked(text: string): string {
  return text.replaceAll(/docs\/reference\/([a-z]+\.md)(#[a-z-]+)?/g, (_, page, anchor = "") => {
    return `[${page}](${page}${anchor})`;
  });
}
