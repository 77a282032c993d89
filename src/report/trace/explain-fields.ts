import { fieldPath } from "../../model/fields/field-path.ts";
import type { Json } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import { type Compilation, type LayoutNode, resourceKey } from "../../model/sources/compilation.ts";
import {
  type FieldOrigin,
  type FieldTrace,
  leafEntries,
  type ParameterUse,
  pathKey,
  type ResourceTrace,
} from "../../model/sources/trace.ts";
import { hideSteps } from "../../redaction/hidden-keys.ts";
import { redact } from "../../redaction/redact.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { shorten } from "../../redaction/wrap.ts";
import { resourceContent } from "../diff/render-manifests.ts";
import { isHidden, type ParameterChain, parameterChain, pathNodes } from "./parameter-chain.ts";
import { shownFields } from "./shown-trace.ts";

/** Reports whether a value with these origins must not be shown. */
type IsSecret = (origins: readonly FieldOrigin[]) => boolean;

/**
 * Returns a check for values that must not be shown because they derive from secrets.
 * Such a value derives from a hidden parameter, or from a parameter of a Secret's hidden field.
 */
function createSecretCheck(compilation: Compilation): IsSecret {
  const hidden = new Map<LayoutNode | undefined, Set<string>>();
  const add = ({ node, name, from }: ParameterChain): void => {
    hidden.set(node, (hidden.get(node) ?? new Set<string>()).add(name));
    from.forEach(add);
  };
  for (const field of hiddenFields(compilation))
    originChains(compilation, field.origins).forEach(add);
  const isSecret = (chain: ParameterChain): boolean =>
    hidden.get(chain.node)?.has(chain.name) === true ||
    isHidden(chain) ||
    chain.from.some(isSecret);
  return (origins) => originChains(compilation, origins).some(isSecret);
}

function hiddenFields({ resources, trace = [] }: Compilation): readonly FieldTrace[] {
  const secrets = new Map(
    resources
      .map((each) => [resourceKey(each), resourceContent(each)] as const)
      .filter(([, content]) => canContainSecrets(content)),
  );
  return trace.flatMap((each) => {
    const content = secrets.get(each.resource);
    if (content === undefined) return [];
    const shown = new Map(
      leafEntries(redact(content)).map(([path, value]) => [pathKey(path), value]),
    );
    return shownFields(each, content).fields.filter(
      ({ path }) => (shown.get(pathKey(path)) ?? "(hidden)") === "(hidden)",
    );
  });
}

/** Returns the parameters that a value derives from, also through fields of other resources. */
function originChains(
  compilation: Compilation,
  origins: readonly FieldOrigin[],
  seen = new Set<FieldOrigin>(),
): readonly ParameterChain[] {
  return origins.flatMap((origin) => {
    if (seen.has(origin)) return [];
    seen.add(origin);
    const own = origin.made.map(({ name }) =>
      parameterChain(compilation.layout, origin.node, name),
    );
    const read = origin.reads.flatMap((each) => readOriginFields(compilation, each));
    const behind = read.flatMap((field) => field.origins);
    return [...own, ...originChains(compilation, behind, seen)];
  });
}

/** Returns the fields of a resource at or below a path that a value derives from. */
function readOriginFields(
  { trace }: Compilation,
  { resource, path }: FieldOrigin["reads"][number],
): readonly FieldTrace[] {
  const fields = trace?.find((each) => each.resource === resource)?.fields ?? [];
  return fields.filter((field) => path.every((step, i) => field.path[i] === step));
}

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
  const field = shownPath(path, compilation);
  return [`${resource}: ${field} = ${shown}`, ...indent(lines)].join("\n");
}

function shownPath(path: readonly string[], { hides = [] }: Compilation): string {
  return fieldPath(hideSteps(hides, path));
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
    return [`← ${resource}: ${shownPath(path, compilation)}`, ...indent([...new Set(uses)])];
  });
  return [...new Set(lines)];
}

function placeText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
