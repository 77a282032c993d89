import type { DeclaredHealthRule, HealthRule } from "../model/health-rule.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { type Compilation, type LayoutNode, stages } from "../model/sources/compilation.ts";
import type { DesignPatternUse } from "../model/sources/config.ts";
import type { CompileRequest, Cue } from "../ports/cue.ts";
import type { KnownVersions } from "../validation/kind-types.ts";
import { createAdapterLookup } from "./adapter-lookup.ts";
import { type ComposedAdapter, composeAdapter } from "./compose-adapter.ts";
import { composeInput, withInputPlaces } from "./compose-inputs.ts";
import { exportResources } from "./export-resources.ts";
import { checkHealth } from "./health/check-health.ts";
import { unifyHealth } from "./health/read-health.ts";
import { linkCharts, withoutCharts } from "./link-charts.ts";
import { loadAdapter } from "./load-adapter.ts";
import { withParamPlaces } from "./positions.ts";
import { configQuoting } from "./problems/quoting.ts";
import { strayNotices } from "./problems/stray-notices.ts";
import { pulumiProgram } from "./pulumi/program.ts";
import { mergeResources, type ResourceValues } from "./resource-values.ts";
import { mergeTraced, nestTrace, type TracedResources } from "./trace-adapter.ts";
import { traceInputs, traceResources, untracedNotices } from "./trace-resources.ts";

/**
 * Compiles a config and its modules to manifests (docs/reference/adapters.md#composition).
 * The designPatterns of a config are composed like the composites of an adapter: the same stage and
 * id is one resource. The result contains the problems of all designPatterns. Without `known`,
 * manifests aren't compared with the schemas of their kinds.
 */
export function compileConfig(
  request: CompileRequest,
  cue: Cue,
  known?: KnownVersions,
): Result<Compilation> {
  const compiled = compile(request, cue, known);
  if (compiled.ok) return compiled;
  return failed(withParamPlaces(compiled.problems, request.config));
}

function compile(
  request: CompileRequest,
  cue: Cue,
  known: KnownVersions | undefined,
): Result<Compilation> {
  const composed = composePatterns(request, cue);
  if (!composed.ok) return composed;
  const { designPatterns, inputs = [] } = request.config;
  const uses = [...designPatterns, ...inputs];
  const quoting = configQuoting(uses, composed.value.resources, cue);
  const owners = createAdapterLookup(request.config, composed.value.layout);
  const check = known && {
    known,
    kinds: known.types(request.kubernetes),
    isChosen: request.kubernetes !== undefined,
    definitions: request.definitions ?? [],
    strict: request.check === true,
  };
  const rules = { check, lacksCharts: request.lacksCharts === true };
  const resources = exportResources(composed.value.resources, quoting, owners, rules, cue);
  if (!resources.ok) return resources;
  const { traced } = composed.value;
  const linked = linkCharts(withInputPlaces(resources.value.resources, inputs), inputs);
  if (!linked.ok) return linked;
  const placed = linked.value;
  const health = healthRules(request, composed.value.health, placed);
  if (!health.ok) return health;
  return ok({
    resources: placed,
    pulumi: pulumiProgram(projectName(request), resources.value.pulumi),
    layout: withoutCharts(composed.value.layout, inputs),
    ...(health.value.length === 0 ? {} : { health: health.value }),
    ...(tracesInputs(request) && traced !== undefined
      ? {
          trace:
            request.trace === true ? traceResources(placed, traced) : traceInputs(placed, traced),
        }
      : {}),
    warnings: [
      ...composed.value.warnings,
      ...resources.value.notices,
      ...rewriteNotices(cue),
      ...strayNotices(cue),
    ],
    inputs: [...new Set([request.config.file, ...inputFiles(request), ...cue.files()])].sort(),
  });
}

function tracesInputs({ trace = false }: CompileRequest): boolean {
  return trace !== false;
}

function inputFiles({ config: { inputs = [] } }: CompileRequest): readonly string[] {
  return inputs.flatMap(({ files }) => files);
}

/** Checks and unifies the health rules of the adapters and the config. */
function healthRules(
  { config, definitions = [] }: CompileRequest,
  ofAdapters: ComposedAdapter["health"],
  resources: Compilation["resources"],
): Result<readonly HealthRule[]> {
  const ofConfig = config.health ?? [];
  const objects = resources.flatMap((each) => (each.type === "manifest" ? [each.object] : []));
  const problems = checkHealth([...ofConfig, ...ofAdapters], [...objects, ...definitions]);
  return problems.length > 0 ? failed(problems) : unifyHealth(ofAdapters, ofConfig);
}

function composePatterns(request: CompileRequest, cue: Cue): Result<ComposedAdapter> {
  const { config } = request;
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const nodes: LayoutNode[] = [];
  const traced: TracedResources[] = [];
  const untraced: DesignPatternUse[] = [];
  const health: DeclaredHealthRule[] = [];
  const all: ResourceValues[] = [];
  for (const [place, use] of config.designPatterns.entries()) {
    const adapter = loadAdapter(use, cue);
    const composed = adapter.ok
      ? composeAdapter(adapter.value, cue, request.trace === true)
      : adapter;
    if (!composed.ok) {
      problems.push(...composed.problems);
      continue;
    }
    warnings.push(...composed.value.warnings);
    health.push(...composed.value.health);
    nodes.push(composed.value.layout);
    traced.push(nestTrace(composed.value.traced, place));
    if (composed.value.traced === undefined) untraced.push(use);
    all.push(composed.value.resources);
  }
  if (problems.length > 0) return failed(problems);
  for (const input of config.inputs ?? []) {
    const composed = composeInput(input, nodes.length, cue, tracesInputs(request));
    nodes.push(composed.layout);
    traced.push(composed.traced);
    all.push(composed.resources);
  }
  warnings.push(...untracedNotices(untraced));
  const resources = mergeResources(all, cue);
  const layout = configNode(request, resources, nodes);
  return ok({ resources, health, warnings, layout, traced: mergeTraced(traced) });
}

function configNode(
  request: CompileRequest,
  resources: ResourceValues,
  composites: readonly LayoutNode[],
): LayoutNode {
  return {
    pattern: request.config.file,
    name: "",
    file: request.config.file,
    line: 1,
    column: 1,
    group: undefined,
    params: {},
    resources: stages.flatMap((stage) =>
      [...resources[stage].keys()].sort().map((id) => `${stage}/${id}`),
    ),
    composites,
  };
}

/**
 * Returns a name for Pulumi's project. Such names contain only letters, digits, `-`, `_` and `.`.
 */
function projectName(request: CompileRequest): string {
  const folders = request.config.file.split("/").filter((part) => !part.startsWith("."));
  return (folders.at(-2) ?? "application").replaceAll(/[^\w.-]/g, "-");
}

function rewriteNotices(cue: Cue): Problem[] {
  return cue.notices().map(({ message, position }) => {
    const [what = message, form = "the new form"] = message.split("; it is read as ");
    return {
      code: "deprecated-syntax",
      where: [position],
      what,
      fix: `Nothing to do: qvs reads it as ${form}`,
      otherwise: [`write ${form}, which newer CUE versions need`],
    };
  });
}
