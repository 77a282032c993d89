import type { Json } from "../../model/json.ts";
import type { Parameter, Shape, StructShape } from "../../model/sources/description.ts";

/** Returns a type as CUE on one line. A reference to a secret is called `secret`. */
export function typeText(shape: Shape): string {
  return shapeText(shape, "full");
}

/** Returns a type with a name or `{…}` for each struct. Callers list the fields separately. */
export function outlineText(shape: Shape): string {
  return shapeText(shape, "outline");
}

/**
 * Reports whether a shape is an adapter's `#Secret`.
 * It has the key and version of a value in an external store, but not the value.
 */
export function isSecret(shape: Shape): boolean {
  if (shape.is !== "struct" || shape.name !== "#Secret") return false;
  const names = (shape.fields ?? []).map(({ name }) => name);
  return names.includes("key") && names.every((name) => name === "key" || name === "version");
}

export function isMap({ fields = [], patterns = [] }: StructShape): boolean {
  return fields.length === 0 && patterns.length > 0;
}

/** Splits CUE's `(int|string)` into `int` and `string`. */
export function splitKinds(kinds: string | undefined): readonly string[] {
  return kinds === undefined ? [] : kinds.replace(/[()]/g, "").split("|");
}

type Detail = "full" | "outline";

function shapeText(shape: Shape, detail: Detail): string {
  switch (shape.is) {
    case "any":
      return "_";
    case "kinds":
      return splitKinds(shape.kinds).join(" | ");
    case "value":
      return JSON.stringify(shape.value);
    case "either":
      return alternativeTexts(shape.of, detail).join(" | ");
    case "all":
      return isPredeclared(shape.name)
        ? shape.name
        : shape.of.map((part) => inConjunction(part, detail)).join(" & ");
    case "bound":
      return `${shape.op}${JSON.stringify(shape.value)}`;
    case "call":
      return shape.text ?? callText(shape.op, shape.args ?? []);
    case "struct":
      return isSecret(shape) ? "secret" : structText(shape, detail);
    case "list":
      return listText(shape.of ?? [], shape.rest, detail);
    case "source":
      return shape.text ?? (splitKinds(shape.kinds).join(" | ") || "_");
    case "again":
      return shape.name ?? (splitKinds(shape.kinds).join(" | ") || "_");
  }
}

function alternativeTexts(shapes: readonly Shape[], detail: Detail): readonly string[] {
  return [...new Set(shapes.map((shape) => shapeText(shape, detail)))];
}

/**
 * Reports whether a name is one of CUE's predeclared types. Names of definitions start with `#`.
 */
function isPredeclared(name: string | undefined): name is string {
  return name !== undefined && !name.includes("#");
}

function inConjunction(shape: Shape, detail: Detail): string {
  const text = shapeText(shape, detail);
  return shape.is === "either" && shape.of.length > 1 ? `(${text})` : text;
}

function callText(op: string, args: readonly Json[]): string {
  return `${op}(${args.map((arg) => JSON.stringify(arg)).join(", ")})`;
}

function structText(shape: StructShape, detail: Detail): string {
  const { fields = [], patterns = [], closed = false } = shape;
  const [only] = patterns;
  if (isMap(shape) && patterns.length === 1 && only !== undefined) {
    return `[${shapeText(only.key, detail)}]: ${shapeText(only.value, detail)}`;
  }
  if (fields.length === 0 && patterns.length === 0) return closed ? "{}" : "{...}";
  if (detail === "outline") return shape.name ?? "{…}";
  const members = [
    ...patterns.map(({ key, value }) => `[${shapeText(key, detail)}]: ${shapeText(value, detail)}`),
    ...fields.map((field) => fieldText(field, detail)),
  ];
  return `{${members.join(", ")}}`;
}

function fieldText({ name, shape, presence, default: value }: Parameter, detail: Detail): string {
  const label = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const mark = presence === "optional" ? "?" : "";
  const fallback =
    value === undefined || presence !== "default" || shape.is === "value"
      ? ""
      : ` | *${JSON.stringify(value)}`;
  return `${label}${mark}: ${shapeText(shape, detail)}${fallback}`;
}

function listText(of: readonly Shape[], rest: Shape | undefined, detail: Detail): string {
  const members = of.map((element) => shapeText(element, detail));
  return `[${[...members, ...(rest === undefined ? [] : [`...${shapeText(rest, detail)}`])].join(", ")}]`;
}
