import { fieldPath } from "../../model/fields/field-path.ts";
import { fieldOf, type Json, type JsonObject } from "../../model/json.ts";
import type { Compilation, LayoutNode } from "../../model/sources/compilation.ts";
import type { FieldOrigin, ParameterSource } from "../../model/sources/trace.ts";
import { toUnsortedYaml } from "../text/yaml.ts";
import { shownTrace } from "./shown-trace.ts";
import { namesFiles } from "./trace.ts";

const legend = ` The adapters that produced the manifests, from the config down to their composites. Next to each field: the place that
 writes it ← the adapter's parameters that its value derives from; after "if", the parameters that only decide whether it
 exists.`;

type CompilationTrace = Compilation["trace"];

/**
 * Renders `layout.yaml`: the tree config → adapter → composite → resource IDs.
 * With a trace, it includes the fields that each of them wrote. The same input gives the same
 * bytes, in the order of the config. It has only names and places, no values: the file is
 * published, and a value might come from a Secret.
 */
export function renderLayout(compilation: Compilation): string {
  const { layout } = compilation;
  const trace = compilation.trace && shownTrace(compilation);
  const text = toUnsortedYaml(nodeJson(layout, [], trace));
  return trace === undefined ? text : `${legend.replaceAll(/^/gm, "#")}\n${text}`;
}

function nodeJson(node: LayoutNode, place: readonly number[], trace: CompilationTrace): JsonObject {
  const isConfig = place.length === 0;
  const { pattern, name, use, group, params, sources = {}, resources, composites } = node;
  const fields: Record<string, Json | undefined> = {
    [isConfig ? "config" : "pattern"]: pattern,
    name: name === "" ? undefined : name,
    group,
    written: isConfig ? undefined : placeText(node),
    used: use === undefined ? undefined : placeText(use),
    params: paramsWithoutSource(params, sources),
    from: sourcesJson(sources),
    resources: isConfig || trace === undefined ? resources : writtenFields(place, trace),
    composites:
      composites.length === 0 || (trace !== undefined && namesFiles(pattern))
        ? undefined
        : composites.map((composite, i) => nodeJson(composite, [...place, i], trace)),
  };
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as JsonObject;
}

/** Returns the params without a known source. The key `from` lists the others. */
function paramsWithoutSource(params: JsonObject, sources: object): readonly string[] | undefined {
  const names = Object.keys(params).filter((name) => !Object.hasOwn(sources, name));
  return names.length === 0 ? undefined : names;
}

/** Returns the layout without values as JSON. */
export function layoutJson({ hidden: _, params, composites, ...node }: LayoutNode): object {
  return { ...node, params: Object.keys(params).sort(), composites: composites.map(layoutJson) };
}

function sourcesJson(sources: Readonly<Record<string, ParameterSource>>): JsonObject | undefined {
  const names = Object.keys(sources).sort();
  const entries = names.map((name) => {
    const { at, from } = fieldOf(sources, name) as ParameterSource;
    const where = at === undefined ? "" : placeText(at);
    return [name, from.length === 0 ? where : `${where} ← ${from.join(", ")}`];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Maps resources and fields to the place and the parameters of one node of the layout. */
function writtenFields(place: readonly number[], trace: NonNullable<CompilationTrace>): JsonObject {
  const resources = trace.flatMap(({ resource, fields }) => {
    const written = fields.flatMap(({ path, origins }) => {
      const own = origins.find((origin) => origin.node.join() === place.join());
      return own === undefined ? [] : [[fieldPath(path), originText(own)] as const];
    });
    return written.length === 0 ? [] : [[resource, Object.fromEntries(written)] as const];
  });
  return Object.fromEntries(resources);
}

function originText({ at, made, decided }: FieldOrigin): string {
  const names = [...new Set(made.map(({ name }) => name))];
  const others = [...new Set(decided.map(({ name }) => name))].filter((n) => !names.includes(n));
  return [
    at.map(placeText).join(", "),
    names.length === 0 ? "" : ` ← ${names.join(", ")}`,
    others.length === 0 ? "" : `, if ${others.join(", ")}`,
  ].join("");
}

type SourcePlace = Pick<LayoutNode, "file" | "line" | "column">;

function placeText({ file, line, column }: SourcePlace): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}
