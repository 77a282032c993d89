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
 * Answers the questions of the engine during an evaluation. It reads the files of the module roots
 * and nothing else.
 */
export interface Host {
  ask(question: FileQuestion): FileAnswer;
  /**
   * Reports whether these roots give the same answers to all questions so far.
   * If so, they answer all later questions: the earlier roots can be another commit, or deleted.
   */
  continueWith(roots: readonly ModuleRoot[]): boolean;
  /** Answers all later questions from these roots, and forgets the earlier answers. */
  replace(roots: readonly ModuleRoot[]): void;
  /** Returns the questions so far, each once. */
  asked(): readonly FileQuestion[];
  /** Returns the files of the roots that answer questions now. */
  files(): readonly RootFiles[];
  /** Returns the answer to a question that the engine asked before. */
  answered(question: FileQuestion): FileAnswer;
  /** Reports whether qvs rejected a read because all evaluations together have read too much. */
  exhausted(): boolean;
}

export function host(roots: readonly ModuleRoot[]): Host {
  let current = roots;
  let files = roots.map((root) => openRootFiles(root.files));
  const answers = new Map<string, FileAnswer>();
  let read = 0;

  const ask = (question: FileQuestion) =>
    remembered(answers, JSON.stringify(question), () => {
      const found = answerQuestion(files, question);
      if (question.ask === "files") return found;
      if (typeof found !== "number") read += found.length;
      return read > readLimit ? tooLarge : found;
    });
  return {
    ask,
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
    replace(others) {
      [current, files] = [others, others.map((root) => openRootFiles(root.files))];
      answers.clear();
      read = 0;
    },
    asked: () => [...answers.keys()].map((question) => JSON.parse(question)),
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
