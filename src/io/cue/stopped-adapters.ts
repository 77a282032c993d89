import { isDeepStrictEqual } from "node:util";
import type { CompilerRequest, ModuleRoot } from "../../ports/cue.ts";
import type { Outcome } from "./engine/worker.ts";

type Stopped = Outcome & { readonly type: "stopped" };

/** The evaluations that a run had to stop. The limits are for a run and an adapter, however many deployments use it. */
export interface StoppedAdapters {
  add(request: CompilerRequest, outcome: Stopped): void;
  /** Returns how an earlier evaluation of an adapter of the request ended, with the same files; undefined if none was stopped. */
  find(request: CompilerRequest): Stopped | undefined;
}

interface Known {
  readonly outcome: Stopped;
  readonly request: CompilerRequest;
  /** All of these: without the name of the adapter that was evaluated last, any of them may be the cause. */
  readonly patterns: readonly string[];
}

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
      known.push({ outcome, request, patterns });
    },
    find(request) {
      if (known.length === 0) return undefined;
      const asked = new Set(patternsOf(request));
      const isSame = ({ request: stopped, patterns }: Known) =>
        "config" in request === "config" in stopped &&
        patterns.every((pattern) => asked.has(pattern)) &&
        isSameSource(request.modules, stopped.modules);
      return known.find(isSame)?.outcome;
    },
  };
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
