import type { ModuleRoot } from "../../ports.ts";
import { type FileAnswer, type Files, filesOf, tooLarge } from "./sources.ts";

/** Spec §10: how much CUE one evaluation may read. */
const readLimit = 50_000_000;

/** What the engine may ask of us while it evaluates: the files of the module roots, and nothing else. */
export interface Host {
  readonly imports: WebAssembly.ModuleImports;
  /**
   * True when all questions so far would get the same answers from these roots. Then what is asked next is answered
   * from them: the earlier roots may be another commit, or gone.
   */
  continueWith(roots: readonly ModuleRoot[]): boolean;
  /** Every folder of every root, as it is now. */
  folders(): readonly (readonly string[])[];
}

export function host(roots: readonly ModuleRoot[], memory: () => WebAssembly.Memory): Host {
  let files = roots.map((root) => filesOf(root.files));
  const lists = new Map<string, Buffer>();
  const texts = new Map<string, FileAnswer>();
  let read = 0;

  const list = (root: number, folder: string) =>
    remembered(lists, `${root}:${folder}`, () => listing(files, root, folder));
  const text = (root: number, path: string) =>
    remembered(texts, `${root}:${path}`, () => {
      const answer = files[root]?.read(path) ?? tooLarge;
      if (typeof answer !== "number") read += answer.length;
      return read > readLimit ? tooLarge : answer;
    });
  return {
    imports: {
      list_files: (root: number, path: number, length: number, into: number, capacity: number) =>
        write(memory(), list(root, nameAt(memory(), path, length)), into, capacity),
      read_file: (root: number, path: number, length: number, into: number, capacity: number) =>
        write(memory(), text(root, nameAt(memory(), path, length)), into, capacity),
    },
    folders: () => files.map((root) => root.folders()),
    continueWith(others) {
      if (!sameModules(roots, others)) return false;
      const current = others.map((root) => filesOf(root.files));
      const unchanged =
        [...lists].every(([key, answer]) => same(answer, listing(current, ...split(key)))) &&
        [...texts].every(([key, answer]) => same(answer, readIn(current, ...split(key))));
      if (unchanged) files = current;
      return unchanged;
    },
  };
}

function listing(files: readonly Files[], root: number, folder: string): Buffer {
  return Buffer.from((files[root]?.list(folder) ?? []).join("\0"));
}

function readIn(files: readonly Files[], root: number, path: string): FileAnswer {
  return files[root]?.read(path) ?? tooLarge;
}

function remembered<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  known.set(key, found);
  return found;
}

function split(key: string): [root: number, path: string] {
  const colon = key.indexOf(":");
  return [Number(key.slice(0, colon)), key.slice(colon + 1)];
}

function same(a: FileAnswer, b: FileAnswer): boolean {
  return typeof a === "number" || typeof b === "number" ? a === b : a.equals(b);
}

function sameModules(a: readonly ModuleRoot[], b: readonly ModuleRoot[]): boolean {
  const names = (roots: readonly ModuleRoot[]) =>
    JSON.stringify(roots.map((root) => [root.path, root.display]));
  return names(a) === names(b);
}

function nameAt(memory: WebAssembly.Memory, at: number, length: number): string {
  return Buffer.from(memory.buffer, at, length).toString();
}

/** Writes as much as fits and tells the whole length, so that the engine can ask again with more room. */
function write(memory: WebAssembly.Memory, answer: FileAnswer, into: number, capacity: number) {
  if (typeof answer === "number") return answer;
  answer.copy(new Uint8Array(memory.buffer, into, capacity), 0, 0, capacity);
  return answer.length;
}
