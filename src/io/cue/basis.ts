import { createHash, type Hash } from "node:crypto";
import type { ModuleRoot } from "../../ports.ts";
import { type FileAnswer, type Files, filesOf, tooLarge } from "./sources.ts";

/** Something that the engine asked the module roots for: the names in a folder, or the text of a file. */
export interface Question {
  /** Index of the root. */
  readonly root: number;
  readonly path: string;
  readonly list: boolean;
}

/**
 * All that a compilation depends on besides the request itself: what the loader asked for, with the absences, and what it
 * was answered. The same request gives the same result wherever the same questions get the same answers.
 */
export interface Basis {
  readonly questions: readonly Question[];
  /** SHA-256 of the answers, in hex. */
  readonly answers: string;
}

export function basisOf(
  questions: readonly Question[],
  answer: (question: Question) => FileAnswer,
): Basis {
  const hash = createHash("sha256");
  for (const question of questions) update(hash, answer(question));
  return { questions, answers: hash.digest("hex") };
}

/** Asks the roots the same questions again; `answers` is what they say now. */
export function askAgain(
  questions: readonly Question[],
  roots: readonly ModuleRoot[],
): Basis["answers"] {
  const files = roots.map((root) => filesOf(root.files));
  return basisOf(questions, (question) => answerFrom(files, question)).answers;
}

export function answerFrom(files: readonly Files[], { root, path, list }: Question): FileAnswer {
  if (list) return Buffer.from((files[root]?.list(path) ?? []).join("\0"));
  return files[root]?.read(path) ?? tooLarge;
}

/** The length stands before the bytes, so that no two lists of answers look the same. */
function update(hash: Hash, answer: FileAnswer): void {
  if (typeof answer === "number") hash.update(`code ${answer}\n`);
  else hash.update(`bytes ${answer.length}\n`).update(answer);
}
