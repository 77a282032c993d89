import type { Parameter, Shape, StructShape } from "../model/description.ts";
import type { Json } from "../model/json.ts";
import type { Position } from "../model/problem.ts";
import { isMap, isSecret, outlineText, typeText } from "./type-text.ts";

/** One line of a table of parameters. Texts are the adapter's own and not yet made safe to show. */
export interface ParameterRow {
  /** `env[].name`, `settings.*.size`. */
  readonly path: string;
  readonly type: string;
  readonly presence: Parameter["presence"];
  readonly default: Json | undefined;
  readonly computed: string | undefined;
  readonly doc: string;
  readonly position: Position | undefined;
}

/** Beyond this, in characters, a struct is easier to read field by field. */
const longType = 44;
/** A type of Kubernetes is described by Kubernetes, not by every adapter that takes one. */
const maxNested = 24;
const maxLevels = 3;

/** All parameters, those that have to be given first; behind each the fields of a struct that is too long for one line. */
export function parameterRows(parameters: StructShape): readonly ParameterRow[] {
  const all = parameters.fields ?? [];
  const required = all.filter(({ presence }) => presence === "required");
  const others = all.filter(({ presence }) => presence !== "required");
  return [...required, ...others].flatMap((parameter) => rowsOf(parameter, "", maxLevels));
}

function rowsOf(parameter: Parameter, before: string, levels: number): readonly ParameterRow[] {
  const path = `${before}${parameter.name}`;
  const nested = levels > 1 ? nestedFields(parameter.shape, path) : undefined;
  const below = (nested?.fields ?? []).flatMap((field) =>
    rowsOf(field, `${nested?.path}.`, levels - 1),
  );
  const isListed = below.length > 0 && below.length <= maxNested;
  const row = {
    path,
    type: typeOf(parameter.shape, isListed),
    presence: parameter.presence,
    default: parameter.default,
    computed: parameter.computed,
    doc: (parameter.doc ?? "").trim(),
    position: parameter.position,
  };
  return isListed ? [row, ...below] : [row];
}

function typeOf(shape: Shape, isListed: boolean): string {
  const full = typeText(shape);
  if (isListed) return outlineText(shape);
  return full.length > longType && shape.name?.includes("#") ? shape.name : full;
}

/** The fields of a struct, of a list's elements or of a map's values, with the path that leads to them. */
function nestedFields(
  shape: Shape,
  path: string,
): { readonly path: string; readonly fields: readonly Parameter[] } | undefined {
  if (shape.is === "all") {
    const [first] = shape.of.filter((part) => part.is === "struct" || part.is === "list");
    return first === undefined ? undefined : nestedFields(first, path);
  }
  if (shape.is === "list" && shape.rest !== undefined && (shape.of ?? []).length === 0) {
    return nestedFields(shape.rest, `${path}[]`);
  }
  if (shape.is !== "struct" || isSecret(shape)) return undefined;
  const [pattern] = shape.patterns ?? [];
  if (isMap(shape) && pattern !== undefined) return nestedFields(pattern.value, `${path}.*`);
  const { fields = [] } = shape;
  const isPlain = fields.every((field) => field.doc === undefined && field.presence !== "computed");
  return isPlain && typeText(shape).length <= longType ? undefined : { path, fields };
}
