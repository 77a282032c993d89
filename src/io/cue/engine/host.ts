import type { ModuleRoot } from "../../../ports/cue.ts";
import { answerQuestion, type FileQuestion } from "../inputs-read.ts";
import {
  type FileAnswer,
  openRootFiles,
  type RootFiles,
  readLimit,
  tooLarge,
} from "../root-files.ts";

/**
 * The functions that the engine can call during an evaluation. They read the files of the module
 * roots and nothing else.
 */
export interface Host {
  readonly imports: WebAssembly.ModuleImports;
  /**
   * Reports whether these roots give the same answers to all questions so far.
   * If so, they answer all later questions: the earlier roots can be another commit, or deleted.
   */
  continueWith(roots: readonly ModuleRoot[]): boolean;
  /** Returns the files of the roots that answer questions now. */
  files(): readonly RootFiles[];
  /** Returns the answer to a question that the engine asked before. */
  answered(question: FileQuestion): FileAnswer;
  /** Reports whether qvs rejected a read because all evaluations together have read too much. */
  exhausted(): boolean;
}

export function host(roots: readonly ModuleRoot[], memory: () => WebAssembly.Memory): Host {
  let current = roots;
  let files = roots.map((root) => openRootFiles(root.files));
  const answers = new Map<string, FileAnswer>();
  let read = 0;

  const answer = (question: FileQuestion) =>
    remembered(answers, JSON.stringify(question), () => {
      const found = answerQuestion(files, question);
      if (question.ask === "files") return found;
      if (typeof found !== "number") read += found.length;
      return read > readLimit ? tooLarge : found;
    });
  const asking =
    (ask: FileQuestion["ask"]) =>
    (root: number, path: number, length: number, into: number, capacity: number) => {
      const question = { root, path: readName(memory(), path, length), ask };
      return write(memory(), answer(question), into, capacity);
    };
  return {
    imports: {
      list_files: asking("files"),
      list_entries: asking("entries"),
      read_file: asking("text"),
    },
    files: () => files,
    continueWith(others) {
      if (sameObjects(current, others)) return true;
      if (!sameModules(current, others)) return false;
      const now = others.map((root) => openRootFiles(root.files));
      const unchanged = [...answers].every(([question, answer]) =>
        same(answer, answerQuestion(now, JSON.parse(question))),
      );
      if (unchanged) [current, files] = [others, now];
      return unchanged;
    },
    answered(question) {
      const answer = answers.get(JSON.stringify(orderedQuestion(question)));
      if (answer === undefined) throw new Error(`never asked: ${JSON.stringify(question)}`);
      return answer;
    },
    exhausted: () => read > readLimit,
  };
}

/** Returns the question with its fields in the order of the key. */
function orderedQuestion({ root, path, ask }: FileQuestion): FileQuestion {
  return { root, path, ask };
}

/**
 * Reports whether both lists have the same files in memory. These never change, so they need no
 * comparison.
 */
function sameObjects(a: readonly ModuleRoot[], b: readonly ModuleRoot[]): boolean {
  return (
    sameModules(a, b) && a.every(({ files }, i) => files.in === "memory" && files === b[i]?.files)
  );
}

function remembered<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  known.set(key, found);
  return found;
}

function same(a: FileAnswer, b: FileAnswer): boolean {
  return typeof a === "number" || typeof b === "number" ? a === b : a.equals(b);
}

function sameModules(a: readonly ModuleRoot[], b: readonly ModuleRoot[]): boolean {
  const names = (roots: readonly ModuleRoot[]) => JSON.stringify(roots.map((root) => root.display));
  return names(a) === names(b);
}

function readName(memory: WebAssembly.Memory, at: number, length: number): string {
  return Buffer.from(memory.buffer, at, length).toString();
}

/**
 * Writes as much as fits. Returns the full length, so that the engine can ask again with more room.
 */
function write(memory: WebAssembly.Memory, answer: FileAnswer, into: number, capacity: number) {
  if (typeof answer === "number") return answer;
  answer.copy(new Uint8Array(memory.buffer, into, capacity), 0, 0, capacity);
  return answer.length;
}
