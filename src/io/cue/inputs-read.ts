import { createHash, type Hash } from "node:crypto";
import type { ModuleRoot } from "../../ports/cue.ts";
import { type FileAnswer, type Files, filesOf, tooLarge } from "./sources.ts";

/** Something that the engine asked the module roots for. */
export interface Question {
  /** Index of the root. */
  readonly root: number;
  readonly path: string;
  /** The content of a file, the names of the files in a folder, or those of all that it holds. */
  readonly ask: "text" | "files" | "entries";
}

/**
 * All that a compilation depends on besides the request itself: what the loader asked for, absent files included, and
 * what it was answered. The same request has the same result wherever the same questions have the same answers.
 */
export interface InputsRead {
  readonly questions: readonly Question[];
  /** SHA-256 of the answers, in hex. */
  readonly answers: string;
}

export function inputsReadOf(
  questions: readonly Question[],
  answer: (question: Question) => FileAnswer,
): InputsRead {
  const hash = createHash("sha256");
  for (const question of questions) update(hash, answer(question));
  return { questions, answers: hash.digest("hex") };
}

/** Asks the roots the same questions again: the hash of their answers now. */
export function currentAnswers(
  questions: readonly Question[],
  roots: readonly ModuleRoot[],
): InputsRead["answers"] {
  const files = roots.map((root) => filesOf(root.files));
  return inputsReadOf(questions, (question) => answerFrom(files, question)).answers;
}

export function answerFrom(files: readonly Files[], { root, path, ask }: Question): FileAnswer {
  switch (ask) {
    case "text":
      return files[root]?.read(path) ?? tooLarge;
    case "files":
      return Buffer.from((files[root]?.list(path) ?? []).join("\0"));
    case "entries":
      return Buffer.from((files[root]?.entries(path) ?? []).join("\0"));
  }
}

/** The length is written before the bytes, so that two different lists of answers never have the same hash. */
function update(hash: Hash, answer: FileAnswer): void {
  if (typeof answer === "number") hash.update(`code ${answer}\n`);
  else hash.update(`bytes ${answer.length}\n`).update(answer);
}
