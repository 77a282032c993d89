import { isDeepStrictEqual } from "node:util";
import type { CompilerRequest, ModuleRoot } from "../../ports/cue.ts";
import type { WorkerOutcome } from "./engine/worker.ts";

type Stopped = WorkerOutcome & { readonly type: "stopped" };

/**
 * The evaluations that a run had to stop. The limits apply to a run and an adapter, even if many
 * deployments use it.
 */
export interface StoppedAdapters {
  add(request: CompilerRequest, outcome: Stopped): void;
  /**
   * Returns the outcome of a stopped evaluation that this request would repeat; undefined if there
   * was none.
   * A request repeats it if an adapter, its parameters and its files are the same. It also does if
   * the adapter was stopped too often with any parameters.
   */
  find(request: CompilerRequest): Stopped | undefined;
}

interface StoppedEvaluation {
  readonly outcome: Stopped;
  readonly request: CompilerRequest;
  /**
   * The suspected adapters; the outcome applies to requests with all of them. Without the name of
   * the last evaluated adapter, any of them might be the cause.
   */
  readonly patterns: readonly string[];
  /** The same adapters with their parameters, as JSON. */
  readonly uses: readonly string[];
}

/**
 * The number of stops after which qvs tries no other parameters of an adapter. Deployments could
 * have hundreds of them.
 */
const maxStops = 3;

/**
 * Remembers stopped evaluations, but only if one adapter took half of the time limit.
 * A config with hundreds of adapters can reach a limit although no adapter is at fault. Other
 * limits are reached soon, so another try costs little time.
 */
export function rememberStopped(timeLimit: number): StoppedAdapters {
  const known: StoppedEvaluation[] = [];
  return {
    add(request, outcome) {
      if (outcome.duration < timeLimit / 2) return;
      const all = requestPatterns(request);
      const blamed = outcome.evaluating?.split(" → ")[0];
      const patterns = blamed !== undefined && all.includes(blamed) ? [blamed] : all;
      if (patterns.length === 0) return;
      known.push({ outcome, request, patterns, uses: adapterUses(request, patterns) });
    },
    find(request) {
      const similar = known.filter((each) => hasSameAdapters(request, each));
      if (similar.length === 0) return undefined;
      const requestUses = new Set(adapterUses(request, requestPatterns(request)));
      const same = similar.find(({ uses }) => uses.every((use) => requestUses.has(use)));
      if (same !== undefined) return same.outcome;
      const last = similar[maxStops - 1];
      return last && { ...last.outcome, why: "tries" };
    },
  };
}

function hasSameAdapters(
  request: CompilerRequest,
  { request: stopped, patterns }: StoppedEvaluation,
) {
  const requested = new Set(requestPatterns(request));
  return (
    "config" in request === "config" in stopped &&
    patterns.every((pattern) => requested.has(pattern)) &&
    isSameSource(request.modules, stopped.modules)
  );
}

/**
 * Returns each use of these adapters with its parameters, as JSON. A description has no parameters.
 */
function adapterUses(request: CompilerRequest, patterns: readonly string[]): readonly string[] {
  if (!("config" in request)) return patterns;
  const meant = new Set(patterns);
  return request.config.designPatterns
    .filter(({ pattern }) => meant.has(pattern))
    .map(({ pattern, params }) =>
      JSON.stringify([pattern, params.map(({ name, value }) => [name, value])]),
    );
}

/** Returns the adapters that a request evaluates. The list of all adapters has the empty name. */
export function requestPatterns(request: CompilerRequest): readonly string[] {
  if ("config" in request) return request.config.designPatterns.map(({ pattern }) => pattern);
  if ("helm" in request) return [`helm: ${request.helm.chart}`];
  if ("kustomize" in request) return [`kustomize: ${request.kustomize}`];
  return "describe" in request ? [request.describe] : [""];
}

/**
 * Compares modules by content. Two commits usually have the same CUE files, but in different
 * objects.
 */
function isSameSource(some: readonly ModuleRoot[], others: readonly ModuleRoot[]): boolean {
  return isDeepStrictEqual(some, others);
}
