import type { Json } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { Parameter, Shape, StructShape } from "../../model/sources/description.ts";
import { isMap, isSecret, outlineText, splitKinds, typeText } from "./type-text.ts";

/** One row of a table of parameters. Its strings come from the adapter and aren't escaped yet. */
export interface ParameterRow {
  /** The path, such as `env[].name` or `settings.*.size`. */
  readonly path: string;
  readonly type: string;
  readonly presence: Parameter["presence"];
  readonly default: Json | undefined;
  readonly computed: string | undefined;
  readonly doc: string;
  readonly position: Position | undefined;
}

/** The parameters, or the fields of a CUE definition that several parameters reference. */
export interface ParameterTable {
  /** The name of the definition, such as `#probe`. "" for the parameters themselves. */
  readonly name: string;
  readonly rows: readonly ParameterRow[];
}

/** A struct with more characters is easier to read field by field. */
const longType = 44;
/** A larger struct is usually a Kubernetes type, which the Kubernetes documentation describes. */
const maxNested = 24;
const maxLevels = 3;

/**
 * Returns tables of all parameters, the required ones first.
 * The fields of a long struct follow its row. Each definition has one table of its own.
 */
export function parameterTables(parameters: StructShape): readonly ParameterTable[] {
  const definitions = new Map<string, StructShape>();
  const all = parameters.fields ?? [];
  const required = all.filter(({ presence }) => presence === "required");
  const others = all.filter(({ presence }) => presence !== "required");
  const rows = [...required, ...others].flatMap((parameter) =>
    parameterRowsBelow(parameter, "", maxLevels, definitions),
  );
  const tables: ParameterTable[] = [{ name: "", rows }];
  // The fields of one definition can reference others. The loop reaches those later.
  for (const [name, { fields = [] }] of definitions) {
    tables.push({
      name,
      rows: fields.flatMap((field) => parameterRowsBelow(field, "", 2, definitions)),
    });
  }
  return tables;
}

function parameterRowsBelow(
  parameter: Parameter,
  before: string,
  levels: number,
  definitions: Map<string, StructShape>,
): readonly ParameterRow[] {
  const path = `${before}${parameter.name}`;
  const within = structWithin(parameter.shape, path);
  const isDefined = within !== undefined && define(within.struct, definitions);
  const nested = isDefined || levels <= 1 ? undefined : within;
  const below = (nested?.struct.fields ?? []).flatMap((field) =>
    parameterRowsBelow(field, `${nested?.path}.`, levels - 1, definitions),
  );
  const isListed = below.length > 0 && below.length <= maxNested;
  const row = {
    path,
    type: parameterType(parameter, isListed || isDefined),
    presence: parameter.presence,
    default: parameter.default,
    computed: parameter.computed,
    doc: (parameter.doc ?? "").trim(),
    position: parameter.position,
  };
  return isListed ? [row, ...below] : [row];
}

/**
 * Registers a definition for a table of its own.
 * Returns false if it is too long, or if another definition has the same name.
 */
function define(struct: StructShape, definitions: Map<string, StructShape>): boolean {
  const { name, fields = [] } = struct;
  if (name === undefined || !name.includes("#") || fields.length > maxNested) return false;
  const known = definitions.get(name);
  if (known !== undefined) return JSON.stringify(known) === JSON.stringify(struct);
  definitions.set(name, struct);
  return true;
}

function parameterType({ shape, presence }: Parameter, isOutline: boolean): string {
  // The `computed` text already shows the source.
  if (shape.is === "source" && presence === "computed") {
    return splitKinds(shape.kinds).join(" | ") || "_";
  }
  if (shape.is === "either" && presence === "computed") {
    const others = shape.of.filter((part) => part.is !== "source");
    return typeText({ ...shape, of: others.length > 0 ? others : shape.of });
  }
  const full = typeText(shape);
  if (isOutline) return outlineText(shape);
  return full.length > longType && shape.name?.includes("#") ? shape.name : full;
}

/**
 * Returns the long struct of a parameter, of a list's elements or of a map's values, with its path.
 */
function structWithin(
  shape: Shape,
  path: string,
): { readonly path: string; readonly struct: StructShape } | undefined {
  if (shape.is === "all") {
    const [first] = shape.of.filter((part) => part.is === "struct" || part.is === "list");
    return first === undefined ? undefined : structWithin(first, path);
  }
  if (shape.is === "list" && shape.rest !== undefined && (shape.of ?? []).length === 0) {
    return structWithin(shape.rest, `${path}[]`);
  }
  if (shape.is !== "struct" || isSecret(shape)) return undefined;
  const [pattern] = shape.patterns ?? [];
  if (isMap(shape) && pattern !== undefined) return structWithin(pattern.value, `${path}.*`);
  const { fields = [] } = shape;
  const isPlain = fields.every((field) => field.doc === undefined && field.presence !== "computed");
  return isPlain && typeText(shape).length <= longType ? undefined : { path, struct: shape };
}
