import type { Compilation } from "../../model/compilation.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import type { Json } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import {
  type FieldOrigin,
  type FieldTrace,
  leafEntries,
  type ParameterUse,
  pathKey,
  type ResourceTrace,
} from "../../model/trace.ts";
import { shorten } from "../../redaction/graphemes.ts";
import { redact } from "../../redaction/redact.ts";
import { resourceContent, resourceKey } from "../diff/render-manifests.ts";
import { type ParameterChain, parameterChain, pathNodes } from "./parameter-chain.ts";
import { createSecretCheck, readOriginFields } from "./secret-origins.ts";
import { shownFields } from "./shown-trace.ts";

/**
 * Explains the origin of a resource's fields as text.
 * Each field has its value, the lines of the adapters that wrote it, and the parameters behind it,
 * up to the line of the config. It hides Secret values and values that derive from a hidden
 * parameter.
 */
export function explainFields(
  compilation: Compilation,
  { resource }: Pick<ResourceTrace, "resource">,
  fields: readonly FieldTrace[],
): string {
  const found = compilation.resources.find((each) => resourceKey(each) === resource);
  const content = found === undefined ? {} : resourceContent(found);
  const leaves = leafEntries(redact(content, { hides: compilation.hides }));
  const values = new Map(leaves.map(([path, value]) => [pathKey(path), value]));
  const shown = shownFields({ resource, fields }, content).fields;
  const isSecret = createSecretCheck(compilation);
  const shownValue = ({ path, origins }: FieldTrace) =>
    isSecret(origins) ? undefined : values.get(pathKey(path));
  return shown
    .map((field) => explainField(compilation, resource, field, shownValue(field)))
    .join("\n");
}

function explainField(
  compilation: Compilation,
  resource: string,
  { path, origins }: FieldTrace,
  value: Json | undefined,
): string {
  const shown = value === undefined ? "(hidden)" : shorten(JSON.stringify(value), 80, 77);
  const lines = origins.flatMap((origin) => explainOrigin(compilation, origin));
  return [`${resource}: ${fieldPath(path)} = ${shown}`, ...indent(lines)].join("\n");
}

function explainOrigin(compilation: Compilation, origin: FieldOrigin): readonly string[] {
  const [first] = origin.at;
  const places = origin.at.map(placeText);
  const node = pathNodes(compilation.layout, origin.node).at(-1);
  const read = (use: ParameterUse) => readPlaceText(use, first);
  return [
    `${places.join(", ")} by ${node?.pattern ?? "?"}`,
    ...indent(chains("←", origin.made, origin, compilation, read)),
    ...indent(chains("only because of", decidingParameters(origin), origin, compilation, read)),
    ...indent(readFields(compilation, origin)),
  ];
}

/**
 * Returns the parameters that only decided whether a field exists.
 * Parameters of its value also decide that, but they are shown already.
 */
function decidingParameters({ made, decided }: FieldOrigin): readonly ParameterUse[] {
  return decided.filter(({ name }) => !made.some((use) => use.name === name));
}

function chains(
  marker: string,
  uses: readonly ParameterUse[],
  { node }: FieldOrigin,
  { layout }: Compilation,
  read: (use: ParameterUse) => string,
): readonly string[] {
  const byName = Map.groupBy(uses, ({ name }) => name);
  return [...byName].flatMap(([name, [use]]) =>
    chainLines(parameterChain(layout, node, name), marker, use === undefined ? "" : read(use)),
  );
}

function chainLines(chain: ParameterChain, marker: string, read: string): readonly string[] {
  const { name, node, source, from } = chain;
  if (node === undefined) return [`${marker} $(params.${name})`];
  const given =
    source === undefined
      ? "not given"
      : `given at ${source.at === undefined ? "?" : placeText(source.at)}`;
  const above = from.flatMap((each) => chainLines(each, "←", ""));
  return [`${marker} parameters.${name}${read}, ${given}`, ...indent(above)];
}

/**
 * Returns the place where a parameter is read, unless it is the line that wrote the field.
 * A line of a template isn't helpful without the line that passes the parameter.
 */
function readPlaceText({ at }: ParameterUse, written: Position | undefined): string {
  if (at === undefined) return "";
  return at.file === written?.file && at.line === written.line ? "" : ` (read at ${placeText(at)})`;
}

/**
 * Lists the fields that other adapters wrote. The adapter's own fields are among its parameters.
 */
function readFields(compilation: Compilation, origin: FieldOrigin): readonly string[] {
  const lines = origin.reads.flatMap((read) => {
    const { resource, path } = read;
    const others = readOriginFields(compilation, read)
      .flatMap((field) => field.origins)
      .filter((other) => other.node.join() !== origin.node.join());
    if (others.length === 0) return [];
    const uses = others.flatMap((other) => chains("←", other.made, other, compilation, () => ""));
    return [`← ${resource}: ${fieldPath(path)}`, ...indent([...new Set(uses)])];
  });
  return [...new Set(lines)];
}

function placeText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
