import { createHash, type Hash } from "node:crypto";
import type { ModuleRoot } from "../../ports/cue.ts";
import { type FileAnswer, type Files, filesOf, tooLarge } from "./sources.ts";

/** A question of the engine about the module roots. */
export interface Question {
  /** The index of the root. */
  readonly root: number;
  readonly path: string;
  /**
   * The requested answer: the content of a file, the names of a directory's files, or the names of
   * all its entries.
   */
  readonly ask: "text" | "files" | "entries";
}

/**
 * Everything that a compilation depends on except the request: the questions of the loader and
 * their answers. It includes files that don't exist.
 * The same request has the same result as long as the same questions have the same answers.
 */
export interface InputsRead {
  readonly questions: readonly Question[];
  /** The SHA-256 of the answers, in hex. */
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

/** Asks the roots the same questions again. Returns the hash of the current answers. */
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

/**
 * Adds an answer to the hash. The length precedes the bytes, so that two different lists of answers
 * never have the same hash.
 */
function update(hash: Hash, answer: FileAnswer): void {
  if (typeof answer === "number") hash.update(`code ${answer}\n`);
  else hash.update(`bytes ${answer.length}\n`).update(answer);
}
