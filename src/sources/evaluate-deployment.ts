import { fieldOf, type Json } from "../model/json.ts";
import { missingFields } from "../model/object.ts";
import {
  declarationPlaces,
  failed,
  mapProblemTexts,
  ok,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import {
  type Compilation,
  chartProvider,
  type Manifest,
  type Resource,
  resourceKey,
} from "../model/sources/compilation.ts";
import { summarizeList } from "../model/text/suggest.ts";
import type { CompileRequest } from "../ports/cue.ts";
import type { ConfigSource } from "../ports/world.ts";
import { hideInTemplates } from "../redaction/given-values.ts";
import {
  addCharts,
  type BoundDeployment,
  bindRead,
  hideParams,
  type ReadDeployment,
} from "./bind-deployment.ts";
import {
  type AdapterChart,
  chartResources,
  inlineParams,
  readAdapterCharts,
} from "./charts/adapters/adapter-charts.ts";
import {
  changedCharts,
  type RenderedCharts,
  renderAdapterCharts,
} from "./charts/adapters/render-adapter-charts.ts";
import type { CapabilityRound } from "./charts/capabilities.ts";
import { declaredKinds } from "./charts/settle-capabilities.ts";

/**
 * The purpose of the manifests. Only manifests to show can come from the cache. A user who can
 * write to a cache, for example through a pull request, must not decide what qvs deploys.
 */
export type CompilePurpose = "show" | "deploy";

/**
 * The optional parts of a compilation: the origin of every field, or a check against the schemas of
 * the kinds.
 */
export type CompileParts = Pick<CompileRequest, "trace" | "check" | "kubernetes" | "definitions">;

/** One round of a compilation. */
export interface CompileRound {
  readonly purpose: CompilePurpose;
  readonly parts: CompileParts;
  readonly round: CapabilityRound;
}

/** A compilation with everything that the engine read. */
interface Evaluated {
  readonly bound: BoundDeployment;
  readonly compiled: Compilation;
}

/**
 * Compiles a deployment. Only a compilation shows the charts of adapters. If there are any, qvs
 * renders them and compiles again with their objects.
 */
export async function evaluateDeployment(
  source: ConfigSource,
  read: ReadDeployment,
  { purpose, parts, round }: CompileRound,
): Promise<Result<Evaluated>> {
  const origins = purpose === "show" && (parts.trace ?? false) !== false;
  const bound = await bindRead(source, read, round, { origins });
  if (!bound.ok) return bound;
  const { request } = bound.value;
  const first = await evaluate(source, { ...request, ...parts, lacksCharts: true }, purpose);
  if (!first.ok || chartResources(first.value.resources).length === 0)
    return first.ok ? ok({ bound: bound.value, compiled: first.value }) : first;
  // Templates can fail because an API is absent that an adapter defines.
  round.defined.push(...declaredKinds(first.value));
  const rendered = await renderCharts(source, read, bound.value, first.value, round);
  if (!rendered.ok) return rendered;
  const { charts, hidden, found } = rendered.value;
  const ofCharts = [...charts.problems.values()].flat();
  const complete = addCharts(read, hidden, charts);
  if (!complete.ok) return failed([...ofCharts, ...complete.problems]);
  const again = { ...complete.value.request, ...parts, lacksCharts: charts.problems.size > 0 };
  const compiled = await evaluate(source, again, purpose);
  if (!compiled.ok) return failed([...ofCharts, ...compiled.problems]);
  const changed = changedCharts(found, compiled.value.resources, new Set(charts.problems.keys()));
  if (changed.length > 0) return failed([...ofCharts, ...changed]);
  const hidesCharts = bound.value.origins.inline.length > 0;
  const resources = withProblems(compiled.value.resources, charts.problems, hidesCharts);
  return ok({ bound: complete.value, compiled: { ...compiled.value, resources } });
}

interface HiddenCharts {
  readonly charts: RenderedCharts;
  /** The charts that are rendered. */
  readonly found: readonly AdapterChart[];
  /** The input of the engine, with the secrets of all charts. */
  readonly hidden: BoundDeployment;
}

async function renderCharts(
  source: ConfigSource,
  read: ReadDeployment,
  bound: BoundDeployment,
  { resources }: Compilation,
  capabilities: CapabilityRound,
): Promise<Result<HiddenCharts>> {
  const { parsed, deployment, namespace } = read;
  const { request, params, origins } = bound;
  const use = { config: request.config, params, inline: origins.inline, namespace };
  const charts = readAdapterCharts(resources, use);
  if (!charts.ok) return charts;
  const binding = { config: parsed, deployment, capabilities };
  const rendered = await renderAdapterCharts(source, charts.value, binding);
  const { hide } = hideInTemplates(inlineValues(bound));
  const hiddenIn = (problems: readonly Problem[]) =>
    problems.map((each) => mapProblemTexts(each, hide));
  if (!rendered.ok) return failed(hiddenIn(rendered.problems));
  const { problems } = rendered.value;
  const secrets = [...charts.value.secretParams, ...(problems.size === 0 ? [] : inlineParams(use))];
  return ok({
    found: charts.value.charts.filter(({ replaces }) => !problems.has(resourceKey(replaces))),
    hidden: hideParams(read, bound, secrets),
    charts: {
      ...rendered.value,
      problems: new Map([...problems].map(([key, each]) => [key, hiddenIn(each)])),
    },
  });
}

/** Returns the values from the command line. Templates and names can contain each of them. */
function inlineValues({ params, origins }: BoundDeployment): readonly Json[] {
  return origins.inline.flatMap((name) => fieldOf(params, name) ?? []);
}

/**
 * Adds the problems of charts to their resources. With parameters from the command line, such a
 * chart is shown without its properties, because an adapter can encode a secret in them. A resource
 * that only adds fields to an object of such a chart is shown without its fields, because they can
 * belong to a Secret.
 */
function withProblems(
  resources: readonly Resource[],
  problems: RenderedCharts["problems"],
  hidesCharts: boolean,
): readonly Resource[] {
  return resources.map((each): Resource => {
    if (each.type === "foreign") {
      const found = problems.get(resourceKey(each));
      const content = hidesCharts ? hiddenChart : each.content;
      return found === undefined ? each : { ...each, content, problems: found };
    }
    const missing = missingFields(each.object);
    if (missing.length === 0) return each;
    const { stage, id, where } = each;
    const shown = {
      type: "foreign",
      stage,
      id,
      where,
      provider: "kubernetes",
      content: {},
    } as const;
    return { ...shown, problems: [incompleteProblem(each, missing, [...problems.keys()])] };
  });
}

/** The shown properties of a chart that isn't rendered. */
const hiddenChart = { provider: chartProvider, values: "(hidden)" } as const;

function incompleteProblem(
  resource: Manifest,
  missing: readonly string[],
  charts: readonly string[],
): Problem {
  return {
    code: "invalid-object",
    where: declarationPlaces(resource),
    what: `Resource ${resourceKey(resource)} lacks ${missing.join(", ")}`,
    facts: [{ label: "charts without objects", value: summarizeList(charts, 3) }],
    why: "An object of a chart can have these fields, and qvs couldn't render all charts",
    fix: "Fix the errors of these charts first",
    otherwise: ["set the fields in the adapter"],
  };
}

function evaluate(
  { compiler }: ConfigSource,
  request: CompileRequest,
  purpose: CompilePurpose,
): Promise<Result<Compilation>> {
  switch (purpose) {
    case "show":
      return compiler.compileCached(request);
    case "deploy":
      return compiler.compile(request);
  }
}
