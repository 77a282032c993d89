import type { ModuleRoot } from "../../../ports/cue.ts";
import { type Engine, type OnEvaluating, openEngine, resetEngine } from "./engine.ts";
import type { EngineProgram } from "./instance.ts";

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

export function keepEngines(program: EngineProgram): Engines {
  /**
   * The kept engines, the last used at the end. An engine in use isn't in this list, so that an
   * engine that failed is never used again.
   */
  let kept: readonly Engine[] = [];
  /** The engine in use. If nothing keeps it, it is closed when the next one opens. */
  let inUse: Engine | undefined;
  const use = (engine: Engine, warm: boolean): OpenEngine => {
    inUse = engine;
    return { engine, warm };
  };
  const openNew: Engines["openNew"] = (modules, onEvaluating) => {
    inUse?.instance.close();
    inUse = undefined;
    return use(openEngine(program, modules, onEvaluating), false);
  };
  return {
    open(modules, onEvaluating) {
      const known = kept.findLast(({ instance }) => instance.host.continueWith(modules));
      if (known === undefined) return openNew(modules, onEvaluating);
      kept = kept.filter((engine) => engine !== known);
      inUse?.instance.close();
      return use(resetEngine(known, onEvaluating), true);
    },
    openNew,
    keep(engine, memoryLimit) {
      const all = [...kept, engine];
      kept = all.slice(-maxKept);
      while (kept.length > 0 && totalMemory(kept) > memoryLimit) kept = kept.slice(1);
      for (const dropped of all) if (!kept.includes(dropped)) dropped.instance.close();
      inUse = undefined;
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
