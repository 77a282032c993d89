import type { ModuleRoot } from "../../../ports/cue.ts";
import { beginAgain, type Engine, type OnEvaluating, openEngine } from "./engine.ts";

/** Engines of different modules, or of one module at different commits, that are kept for the next requests. */
export interface Engines {
  /** A kept one whose files are all unchanged, or else a new one. */
  open(modules: readonly ModuleRoot[], onEvaluating: OnEvaluating): OpenEngine;
  /** A new one in any case. */
  openNew(modules: readonly ModuleRoot[], onEvaluating: OnEvaluating): OpenEngine;
  /** Keeps it for later. The least recently used are dropped until all together fit into `memoryLimit` bytes. */
  keep(engine: Engine, memoryLimit: number): void;
}

export interface OpenEngine {
  readonly engine: Engine;
  /** Whether it has evaluated something before. */
  readonly warm: boolean;
}

/** A base, a head, and one more: the deployments of a run rarely read more than that. */
const mostKept = 3;

export function keepEngines(module: WebAssembly.Module): Engines {
  /** The one used last comes last. One that is in use is not among them: what fails is never used again. */
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
      return { engine: beginAgain(known, onEvaluating), warm: true };
    },
    openNew,
    keep(engine, memoryLimit) {
      kept = [...kept, engine].slice(-mostKept);
      while (kept.length > 0 && sizeOf(kept) > memoryLimit) kept = kept.slice(1);
    },
  };
}

/** WebAssembly memory never shrinks: one large evaluation costs its engine. */
function sizeOf(engines: readonly Engine[]): number {
  return engines.reduce((sum, { instance }) => sum + instance.usedMemory(), 0);
}
