import type { CompilerRequest, FileSource } from "../../ports/cue.ts";
import type { NumberedRoot, ToWorker } from "./messages.ts";

/** Numbers of file sources. A directory, or a set of files in memory, always keeps its number. */
export interface SourceNumbers {
  number(source: FileSource): number;
}

export function numberSources(): SourceNumbers {
  const inMemory = new WeakMap<object, number>();
  const onDisk = new Map<string, number>();
  let last = 0;
  return {
    number(source) {
      const known =
        source.in === "memory" ? inMemory.get(source.files) : onDisk.get(source.directory);
      if (known !== undefined) return known;
      last += 1;
      if (source.in === "memory") inMemory.set(source.files, last);
      else onDisk.set(source.directory, last);
      return last;
    },
  };
}

/**
 * The sources that a worker has. Copying a commit's files to it for every request would take longer
 * than compiling.
 */
export interface WorkerSources {
  /** Returns the request as a message, with the sources that the worker doesn't have yet. */
  messageFor(request: CompilerRequest, memoryLimit: number): ToWorker;
}

/**
 * The maximum number of sources per worker. Each has a few megabytes. A run reads a base, a head
 * and few modules.
 */
const maxSources = 12;

export function trackWorkerSources(numbers: SourceNumbers): WorkerSources {
  const held = new Set<number>();
  return {
    messageFor({ modules, ...asked }, memoryLimit) {
      const numbered = modules.map(({ display, files }): NumberedRoot => {
        return { display, source: numbers.number(files) };
      });
      const requested = new Map(modules.map(({ files }) => [numbers.number(files), files]));
      const sources = new Map([...requested].filter(([number]) => !held.has(number)));
      // Marks the requested sources as the most recently used.
      for (const number of requested.keys()) {
        held.delete(number);
        held.add(number);
      }
      const excess = Math.max(0, held.size - Math.max(maxSources, requested.size));
      const drop = [...held].slice(0, excess);
      for (const number of drop) held.delete(number);
      return { request: asked, modules: numbered, sources, drop, memoryLimit };
    },
  };
}
