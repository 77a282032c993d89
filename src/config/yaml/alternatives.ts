import { at, fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/sources/yaml-node.ts";
import { closest } from "../../model/text/suggest.ts";
import { shape, type YamlShape } from "./shape.ts";

type Forms = Readonly<Record<string, YamlShape<object>>>;

/** A value with the key that decided its form. */
export type Alternative<F extends Forms> = {
  [K in keyof F]: {
    readonly form: K;
    readonly value: F[K] extends YamlShape<infer T> ? T : never;
    readonly where: Position;
  };
}[keyof F];

/**
 * Returns a shape for an object that has exactly one of several keys, which decides its other
 * keys. A key that is probably one of them, with a typo, decides like it.
 */
export function alternatives<F extends Forms>(forms: F): YamlShape<Alternative<F>> {
  const keys = Object.keys(forms);
  const read = (node: YamlNode, name: string, problems: Problem[]): Alternative<F> | undefined => {
    const found = node.kind === "map" ? node.entries.filter((e) => keys.includes(e.name)) : [];
    const [first, second] = found;
    if (first !== undefined && second !== undefined) {
      problems.push({
        code: "unknown-key",
        where: [second.key.where, first.key.where],
        what: `"${name}" has both "${first.name}" and "${second.name}"`,
        fix: `Write an entry of its own for "${second.name}"`,
      });
      return undefined;
    }
    const form = first?.name ?? probableForm(node, forms);
    if (form === undefined) {
      problems.push(missingForm(node, name, keys));
      return undefined;
    }
    const value = fieldOf(forms, form)?.(node, name, problems);
    return value === undefined ? undefined : ({ form, value, where: node.where } as Alternative<F>);
  };
  const made = shape(read, alternativesSchema(forms));
  const { firstField } = fieldOf(forms, keys[0] ?? "") ?? {};
  return firstField === undefined ? made : Object.assign(made, { firstField });
}

/**
 * Returns the form that was probably meant: by a typo of its key, or by another key that only this
 * form has. A value that isn't an object is read in the first form.
 */
function probableForm(node: YamlNode, forms: Forms): string | undefined {
  const keys = Object.keys(forms);
  if (node.kind !== "map") return keys[0];
  const names = node.entries.map(({ name }) => name);
  const misspelt = names.map((name) => closest(name, keys)).find((key) => key !== undefined);
  const owners = (name: string) =>
    keys.filter((key) => fieldNames(fieldOf(forms, key)).includes(name));
  const [only] = names.map(owners).filter(({ length }) => length === 1);
  return misspelt ?? only?.[0];
}

function fieldNames(form: Forms[string] | undefined): readonly string[] {
  const properties = at(form?.schema ?? null, "properties");
  return isObject(properties) ? Object.keys(properties) : [];
}

function missingForm({ where }: YamlNode, name: string, keys: readonly string[]): Problem {
  const quoted = keys.map((key) => `"${key}"`);
  return {
    code: "missing-key",
    where: [where],
    what: `"${name}" has none of the keys ${quoted.join(", ")}`,
    fix: `Add one of ${quoted.join(", ")}`,
  };
}

function alternativesSchema(forms: Forms): JsonObject {
  const properties = Object.values(forms).map(({ schema }) => at(schema, "properties"));
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.toReversed().flatMap((each) => (isObject(each) ? Object.entries(each) : [])),
    ),
    oneOf: Object.keys(forms).map((key) => ({ required: [key] })),
    additionalProperties: false,
  };
}
