import type { CompilerRequest, FileSource } from "../../ports/cue.ts";
import type { NumberedRoot, ToWorker } from "./messages.ts";

/** Gives every file source a number: the same for the same folder, and for the same files in memory. */
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

/** The sources that a worker holds: copying a commit's files to it for every request would take longer than compiling. */
export interface HeldSources {
  /** The request as a message, with what the worker does not hold yet. */
  messageFor(request: CompilerRequest, memoryLimit: number): ToWorker;
}

/** Each is some megabytes; a run reads from a base, a head, and few modules. */
const mostHeld = 12;

export function holdSources(numbers: SourceNumbers): HeldSources {
  const held = new Set<number>();
  return {
    messageFor({ modules, ...asked }, memoryLimit) {
      const numbered = modules.map(({ display, files }): NumberedRoot => {
        return { display, source: numbers.number(files) };
      });
      const requested = new Map(modules.map(({ files }) => [numbers.number(files), files]));
      const sources = new Map([...requested].filter(([number]) => !held.has(number)));
      // Those requested now count as used last.
      for (const number of requested.keys()) {
        held.delete(number);
        held.add(number);
      }
      const excess = Math.max(0, held.size - Math.max(mostHeld, requested.size));
      const drop = [...held].slice(0, excess);
      for (const number of drop) held.delete(number);
      return { asked, modules: numbered, sources, drop, memoryLimit };
    },
  };
}
