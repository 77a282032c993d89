import type { ModuleRoot } from "../../../ports/cue.ts";
import { type Engine, type OnEvaluating, openEngine, resetEngine } from "./engine.ts";

/**
 * Engines that a worker keeps for later requests: for different modules, or for one module at
 * different commits.
 */
export interface Engines {
  /** Returns a kept engine if its files are all unchanged, or else a new one. */
  open(modules: readonly ModuleRoot[], onEvaluating: OnEvaluating): OpenEngine;
  /** Always returns a new engine. */
  openNew(modules: readonly ModuleRoot[], onEvaluating: OnEvaluating): OpenEngine;
  /**
   * Keeps an engine for later. Drops the least recently used ones until the rest fits into
   * `memoryLimit` bytes.
   */
  keep(engine: Engine, memoryLimit: number): void;
}

export interface OpenEngine {
  readonly engine: Engine;
  /** True if the engine has evaluated something before. */
  readonly warm: boolean;
}

/**
 * The maximum number of kept engines: for a base, a head and one more. The deployments of a run
 * rarely read more.
 */
const maxKept = 3;

export function keepEngines(module: WebAssembly.Module): Engines {
  /**
   * The kept engines, the last used at the end. An engine in use isn't in this list, so that an
   * engine that failed is never used again.
   */
  let kept: readonly Engine[] = [];
  const openNew: Engines["openNew"] = (modules, onEvaluating) => ({
    engine: openEngine(module, modules, onEvaluating),
    warm: false,
  });
  return {
    open(modules, onEvaluating) {
      const known = kept.findLast(({ instance }) => instance.host.continueWith(modules));
      if (known === undefined) return openNew(modules, onEvaluating);
      kept = kept.filter((engine) => engine !== known);
      return { engine: resetEngine(known, onEvaluating), warm: true };
    },
    openNew,
    keep(engine, memoryLimit) {
      kept = [...kept, engine].slice(-maxKept);
      while (kept.length > 0 && totalMemory(kept) > memoryLimit) kept = kept.slice(1);
    },
  };
}

/**
 * Returns the memory of all engines in bytes. WebAssembly memory never shrinks, so a large
 * evaluation can make its engine too large to keep.
 */
function totalMemory(engines: readonly Engine[]): number {
  return engines.reduce((sum, { instance }) => sum + instance.usedMemory(), 0);
}
