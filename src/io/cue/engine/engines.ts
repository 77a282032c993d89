import type { ModuleRoot } from "../../../ports/cue.ts";
import type { OutputCount } from "../failure.ts";
import { type Engine, type OnEvaluating, openEngine, resetEngine } from "./engine.ts";
import type { EngineProgram } from "./instance.ts";

/**
 * Engines that a worker keeps for later requests: for different modules, or for one module at
 * different commits.
 */
export interface Engines {
  /** Returns a kept engine if its files are all unchanged, or else a new one. */
  open: OpenEngineFor;
  /** Always returns a new engine. */
  openNew: OpenEngineFor;
  /**
   * Keeps an engine for later, if there is one. Drops the least recently used ones until the rest
   * fits into `memoryLimit` bytes.
   */
  keep(engine: Engine | undefined, memoryLimit: number): void;
  /** Returns the memory of all kept engines in bytes. */
  keptMemory(): number;
}

type OpenEngineFor = (
  modules: readonly ModuleRoot[],
  onEvaluating: OnEvaluating,
  output: OutputCount,
) => OpenEngine;

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

/** Keeps engines of a program. `load` returns the program, and is called for each new engine. */
export function keepEngines(load: () => EngineProgram): Engines {
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
  const openNew: OpenEngineFor = (modules, ...others) => {
    inUse?.instance.close();
    inUse = undefined;
    return use(openEngine(load(), modules, ...others), false);
  };
  return {
    open(modules, ...others) {
      const known = kept.findLast(({ instance }) => instance.host.continueWith(modules));
      if (known === undefined) return openNew(modules, ...others);
      kept = kept.filter((engine) => engine !== known);
      inUse?.instance.close();
      return use(resetEngine(known, ...others), true);
    },
    openNew,
    keep(engine, memoryLimit) {
      const all = engine === undefined ? kept : [...kept, engine];
      kept = all.slice(-maxKept);
      while (kept.length > 0 && totalMemory(kept) > memoryLimit) kept = kept.slice(1);
      for (const dropped of all) if (!kept.includes(dropped)) dropped.instance.close();
      inUse = undefined;
    },
    keptMemory: () => totalMemory(kept),
  };
}

/**
 * Returns the memory of all engines in bytes. WebAssembly memory never shrinks, so a large
 * evaluation can make its engine too large to keep.
 */
function totalMemory(engines: readonly Engine[]): number {
  return engines.reduce((sum, { instance }) => sum + instance.usedMemory(), 0);
}
