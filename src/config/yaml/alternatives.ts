import { at, isObject, type JsonObject } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/yaml-node.ts";
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
 * keys. An object with none of these keys is reported as one of the first form.
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
    const form = first?.name ?? keys[0] ?? "";
    const value = forms[form]?.(node, name, problems);
    return value === undefined ? undefined : ({ form, value, where: node.where } as Alternative<F>);
  };
  const made = shape(read, alternativesSchema(forms));
  const { firstField } = forms[keys[0] ?? ""] ?? {};
  return firstField === undefined ? made : Object.assign(made, { firstField });
}

function alternativesSchema(forms: Forms): JsonObject {
  const properties = Object.values(forms).map(({ schema }) => at(schema, "properties"));
  return {
    type: "object",
    properties: Object.assign({}, ...properties.toReversed().filter(isObject)),
    oneOf: Object.keys(forms).map((key) => ({ required: [key] })),
    additionalProperties: false,
  };
}
