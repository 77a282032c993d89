import type { Deployment } from "../../model/deployments/deployment.ts";
import type { InputConfig } from "../../model/deployments/release.ts";
import { type FieldStep, valueAtPath } from "../../model/fields/field-differences.ts";
import { pathWithIndexes } from "../../model/fields/resolve-path.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { failed, ok, type Position, type Result } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { FieldSource, ParameterStep } from "../../model/sources/field-explanation.ts";
import type { FieldOrigin, FieldTrace, ParameterUse } from "../../model/sources/trace.ts";
import type { ConfigSource } from "../../ports/world.ts";
import {
  type ParameterChain,
  parameterChain,
  pathNodes,
} from "../../report/trace/parameter-chain.ts";
import { namesFiles } from "../../report/trace/trace.ts";
import { type ReadDeployment, readDeployment } from "../../sources/bind-deployment.ts";
import type { CapabilitySource } from "../../sources/charts/capabilities.ts";
import { compileDeployment } from "../../sources/compile-deployment.ts";

/** A traced compilation, with the places of the values of the config's parameters. */
export interface TracedCompilation {
  readonly input: InputConfig;
  readonly compilation: Compilation;
  readonly given: ReadonlyMap<string, Position | "command line">;
}

/**
 * Compiles a deployment with the source of each field. `inline` are values of `--param`. Charts see
 * the version and the APIs of `cluster`.
 */
export async function compileTraced(
  source: ConfigSource,
  deployment: Deployment,
  inline: readonly string[],
  cluster?: CapabilitySource,
): Promise<Result<TracedCompilation>> {
  const read = await readDeployment(source, deployment, inline);
  if (!read.ok) return read;
  const parts = { trace: true };
  const compiled = await compileDeployment(source, deployment, inline, "show", parts, cluster);
  if (!compiled.ok) return failed(compiled.problems);
  const { compilation, input } = compiled.value;
  return ok({ compilation, input, given: givenPlaces(read.value) });
}

function givenPlaces({ given }: ReadDeployment): TracedCompilation["given"] {
  return new Map(
    given.map(({ name, value, origin }) => [
      name,
      origin === "inline" ? "command line" : value.where,
    ]),
  );
}

/** A field of a resource, `stage/id`. */
export interface SourceQuestion {
  readonly resource: string;
  readonly path: readonly FieldStep[];
}

/** The sources of a field without their history, and the compiled value. */
export interface TracedSources {
  readonly sources: readonly Omit<FieldSource, "changes">[];
  /** The number of further sources, which are left out. */
  readonly omitted: number;
  readonly value: Json | undefined;
}

/** The maximum number of sources and parameters. A field with subfields can have thousands. */
const maxSources = 8;

/** Returns the sources of a field, or of the fields in it. */
export function traceField(
  traced: TracedCompilation,
  { resource, path }: SourceQuestion,
): TracedSources {
  const { compilation } = traced;
  const object = manifestObject(compilation, resource);
  const found = object === undefined ? undefined : compiledPath(object, path);
  if (object === undefined || found === undefined)
    return { sources: [], omitted: 0, value: undefined };
  const fields = compilation.trace?.find((each) => each.resource === resource)?.fields ?? [];
  const within = fields.filter((each) => found.every((step, i) => each.path[i] === step));
  return {
    ...fieldSources(traced, within),
    value: valueAtPath(
      object,
      found.map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
    ),
  };
}

function manifestObject({ resources }: Compilation, resource: string): JsonObject | undefined {
  const found = resources.find(({ stage, id }) => `${stage}/${id}` === resource);
  return found?.type === "manifest" ? found.object : undefined;
}

/** Returns the path in the manifest, which can have `stringData` for the data of a Secret. */
function compiledPath(
  object: JsonObject,
  path: readonly FieldStep[],
): readonly string[] | undefined {
  const [first, ...rest] = path;
  const own = pathWithIndexes(object, path);
  if (own !== undefined || first !== "data" || object["kind"] !== "Secret") return own;
  return pathWithIndexes(object, ["stringData", ...rest]);
}

function fieldSources(
  traced: TracedCompilation,
  fields: readonly FieldTrace[],
): Pick<TracedSources, "sources" | "omitted"> {
  const origins = withReads(traced.compilation, fields);
  const distinct = new Map(origins.map((origin) => [originKey(origin), origin]));
  const shown = [...distinct.values()].slice(0, maxSources);
  const sources = shown.map((origin) => toSource(traced, origin));
  return { sources, omitted: distinct.size - shown.length };
}

/** Returns the same text for the origins that an answer shows in the same way. */
function originKey({ node, at, made, decided }: FieldOrigin): string {
  const names = [made, decided].map((uses) => uses.map(({ name }) => name));
  return JSON.stringify([node, at, names]);
}

/** Returns the origins of fields, and those of the fields that their values were read from. */
function withReads(
  { trace = [] }: Compilation,
  fields: readonly FieldTrace[],
): readonly FieldOrigin[] {
  const byResource = new Map(trace.map((each) => [each.resource, each.fields]));
  // A set also iterates over elements that are added during the iteration.
  const found = new Set(fields.flatMap(({ origins }) => origins));
  for (const { reads } of found) {
    for (const { resource, path } of reads) {
      const others = byResource.get(resource) ?? [];
      const read = others.filter((each) => path.every((step, i) => each.path[i] === step));
      for (const origin of read.flatMap((each) => each.origins)) found.add(origin);
    }
  }
  return [...found];
}

function toSource(
  { compilation, given }: TracedCompilation,
  { node, at, made, decided }: FieldOrigin,
): Omit<FieldSource, "changes"> {
  const { layout } = compilation;
  const steps = (uses: readonly ParameterUse[], onlyDecides: boolean) =>
    [...new Set(uses.map(({ name }) => name))].map((name) =>
      toStep(parameterChain(layout, node, name), given, onlyDecides),
    );
  const adapter = pathNodes(layout, node).at(-1)?.pattern ?? "";
  const deciding = decided.filter(({ name }) => !made.some((use) => use.name === name));
  const all = [...steps(made, false), ...steps(deciding, true)];
  // A manifest has no parameters of its own. It uses those of the config at the same line.
  const parameters = namesFiles(adapter) ? all.flatMap(configSteps) : all;
  return { adapter, places: at, parameters: parameters.slice(0, maxSources) };
}

function configSteps(step: ParameterStep): readonly ParameterStep[] {
  return step.from.length === 0 ? [step] : step.from;
}

function toStep(
  { name, node, source, from }: ParameterChain,
  given: TracedCompilation["given"],
  onlyDecides: boolean,
): ParameterStep {
  const isOfConfig = node === undefined;
  return {
    name,
    of: isOfConfig ? "config" : "adapter",
    given: (isOfConfig ? given.get(name) : source?.at) ?? "default",
    onlyDecides,
    from: from.map((each) => toStep(each, given, onlyDecides)),
  };
}

/**
 * Returns the lines that decide the value of a source: those that give its parameters, or else
 * those that wrote it.
 */
export function decidingLines({
  places,
  parameters,
}: Pick<FieldSource, "places" | "parameters">): readonly Position[] {
  const given = parameters.filter(({ onlyDecides }) => !onlyDecides).flatMap(givenLines);
  return given.length > 0 ? given : places;
}

function givenLines({ given, from }: ParameterStep): readonly Position[] {
  const behind = from.flatMap(givenLines);
  if (behind.length > 0) return behind;
  return typeof given === "string" ? [] : [given];
}
