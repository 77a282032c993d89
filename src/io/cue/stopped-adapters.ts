import { isDeepStrictEqual } from "node:util";
import type { CompilerRequest, ModuleRoot } from "../../ports/cue.ts";
import type { Outcome } from "./engine/worker.ts";

type Stopped = Outcome & { readonly type: "stopped" };

/** The evaluations that a run had to stop. The limits are for a run and an adapter, however many deployments use it. */
export interface StoppedAdapters {
  add(request: CompilerRequest, outcome: Stopped): void;
  /**
   * Returns how an earlier evaluation ended that this request would repeat: of an adapter with the same params and files, or of one that
   * was stopped too often with whatever params. undefined if there was none.
   */
  find(request: CompilerRequest): Stopped | undefined;
}

interface Known {
  readonly outcome: Stopped;
  readonly request: CompilerRequest;
  /** All of these: without the name of the adapter that was evaluated last, any of them may be the cause. */
  readonly patterns: readonly string[];
  /** The same with their params, as texts. */
  readonly uses: readonly string[];
}

/** An adapter that is stopped this often gets no other params tried: deployments could give it hundreds. */
const mostStops = 3;

/**
 * Remembers only what one adapter took half of the time limit for. A config that uses hundreds of adapters can reach a limit
 * although none of them is at fault, and other limits are reached soon.
 */
export function rememberStopped(timeLimit: number): StoppedAdapters {
  const known: Known[] = [];
  return {
    add(request, outcome) {
      if (outcome.duration < timeLimit / 2) return;
      const all = patternsOf(request);
      const blamed = outcome.evaluating?.split(" → ")[0];
      const patterns = blamed !== undefined && all.includes(blamed) ? [blamed] : all;
      if (patterns.length === 0) return;
      known.push({ outcome, request, patterns, uses: usesOf(request, patterns) });
    },
    find(request) {
      const similar = known.filter((each) => isOfSameAdapters(request, each));
      if (similar.length === 0) return undefined;
      const asked = new Set(usesOf(request, patternsOf(request)));
      const same = similar.find(({ uses }) => uses.every((use) => asked.has(use)));
      if (same !== undefined) return same.outcome;
      const last = similar[mostStops - 1];
      return last && { ...last.outcome, why: "tries" };
    },
  };
}

function isOfSameAdapters(request: CompilerRequest, { request: stopped, patterns }: Known) {
  const asked = new Set(patternsOf(request));
  return (
    "config" in request === "config" in stopped &&
    patterns.every((pattern) => asked.has(pattern)) &&
    isSameSource(request.modules, stopped.modules)
  );
}

/** Returns each use of these adapters with its params as a text; of a description there are none. */
function usesOf(request: CompilerRequest, patterns: readonly string[]): readonly string[] {
  if (!("config" in request)) return patterns;
  const meant = new Set(patterns);
  return request.config.designPatterns
    .filter(({ pattern }) => meant.has(pattern))
    .map(({ pattern, params }) =>
      JSON.stringify([pattern, params.map(({ name, value }) => [name, value])]),
    );
}

/** Returns the adapters that a request evaluates; the list of all adapters has no name. */
export function patternsOf(request: CompilerRequest): readonly string[] {
  if ("config" in request) return request.config.designPatterns.map(({ pattern }) => pattern);
  return "describe" in request ? [request.describe] : [""];
}

/** Two commits mostly have the same CUE files, though each has been read by itself. */
function isSameSource(some: readonly ModuleRoot[], others: readonly ModuleRoot[]): boolean {
  return isDeepStrictEqual(some, others);
}
