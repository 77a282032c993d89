import type { CompilerRequest, FileSource } from "../../ports.ts";
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

/** The sources that a worker holds: copying a commit's files to it anew for every request would cost more than compiling. */
export interface HeldSources {
  /** The request as a message, with what the worker does not hold yet. */
  messageFor(request: CompilerRequest, room: number): ToWorker;
}

/** Each is some megabytes; a run reads from a base, a head, and few modules. */
const mostHeld = 12;

export function holdSources(numbers: SourceNumbers): HeldSources {
  const held = new Set<number>();
  return {
    messageFor({ modules, ...asked }, room) {
      const numbered = modules.map(({ display, files }): NumberedRoot => {
        return { display, source: numbers.number(files) };
      });
      const wanted = new Map(modules.map(({ files }) => [numbers.number(files), files]));
      const sources = new Map([...wanted].filter(([number]) => !held.has(number)));
      // Those wanted now count as used last.
      for (const number of wanted.keys()) {
        held.delete(number);
        held.add(number);
      }
      const surplus = Math.max(0, held.size - Math.max(mostHeld, wanted.size));
      const forget = [...held].slice(0, surplus);
      for (const number of forget) held.delete(number);
      return { asked, modules: numbered, sources, forget, room };
    },
  };
}
