import type { Compilation, Resource } from "../model/compilation.ts";
import {
  failed,
  mapProblemTexts,
  ok,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import type { CompileRequest } from "../ports/cue.ts";
import type { ConfigSource } from "../ports/world.ts";
import { createScrubber } from "../redaction/scrub.ts";
import {
  addCharts,
  type BoundDeployment,
  bindRead,
  type ReadDeployment,
} from "./bind-deployment.ts";
import { chartResources, readAdapterCharts } from "./charts/adapters/adapter-charts.ts";
import {
  type RenderedCharts,
  renderAdapterCharts,
} from "./charts/adapters/render-adapter-charts.ts";
import type { CapabilityRound } from "./charts/capabilities.ts";

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
  const bound = await bindRead(source, read, round);
  if (!bound.ok) return bound;
  const { request } = bound.value;
  const first = await evaluate(source, { ...request, ...parts, awaitsCharts: true }, purpose);
  if (!first.ok || chartResources(first.value.resources).length === 0)
    return first.ok ? ok({ bound: bound.value, compiled: first.value }) : first;
  const rendered = await renderCharts(source, read, bound.value, first.value, round);
  if (!rendered.ok) return rendered;
  const complete = addCharts(read, bound.value, rendered.value);
  if (!complete.ok) return complete;
  const compiled = await evaluate(source, { ...complete.value.request, ...parts }, purpose);
  if (!compiled.ok) return compiled;
  const resources = withProblems(compiled.value.resources, rendered.value.problems);
  return ok({ bound: complete.value, compiled: { ...compiled.value, resources } });
}

async function renderCharts(
  source: ConfigSource,
  { parsed, deployment, namespace }: ReadDeployment,
  { request, params, origins, hides }: BoundDeployment,
  { resources }: Compilation,
  capabilities: CapabilityRound,
): Promise<Result<RenderedCharts>> {
  const use = { config: request.config, params, inline: origins.inline, namespace };
  const charts = readAdapterCharts(resources, use);
  if (!charts.ok) return charts;
  const binding = { config: parsed, deployment, capabilities };
  const count = parsed.fileEntries.length;
  const rendered = await renderAdapterCharts(source, charts.value, count, binding);
  const { hide } = createScrubber(hides);
  const hidden = (problems: readonly Problem[]) =>
    problems.map((each) => mapProblemTexts(each, hide));
  if (!rendered.ok) return failed(hidden(rendered.problems));
  const { problems } = rendered.value;
  return ok({
    ...rendered.value,
    problems: new Map([...problems].map(([key, each]) => [key, hidden(each)])),
  });
}

function withProblems(
  resources: readonly Resource[],
  problems: RenderedCharts["problems"],
): readonly Resource[] {
  return resources.map((each) => {
    const found = problems.get(`${each.stage}/${each.id}`);
    return each.type !== "foreign" || found === undefined ? each : { ...each, problems: found };
  });
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
