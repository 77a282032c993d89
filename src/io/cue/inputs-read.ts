import { createHash, type Hash } from "node:crypto";
import type { ModuleRoot } from "../../ports/cue.ts";
import { type FileAnswer, openRootFiles, type RootFiles, tooLarge } from "./root-files.ts";

/** A question of the engine about the module roots. */
export interface FileQuestion {
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
  readonly questions: readonly FileQuestion[];
  /** The SHA-256 of the answers, in hex. */
  readonly answers: string;
}

export function toInputsRead(
  questions: readonly FileQuestion[],
  answer: (question: FileQuestion) => FileAnswer,
): InputsRead {
  const hash = createHash("sha256");
  for (const question of questions) update(hash, answer(question));
  return { questions, answers: hash.digest("hex") };
}

/** Asks the roots the same questions again. Returns the hash of the current answers. */
export function currentAnswers(
  questions: readonly FileQuestion[],
  roots: readonly ModuleRoot[],
): InputsRead["answers"] {
  const files = roots.map((root) => openRootFiles(root.files));
  return toInputsRead(questions, (question) => answerQuestion(files, question)).answers;
}

export function answerQuestion(
  files: readonly RootFiles[],
  { root, path, ask }: FileQuestion,
): FileAnswer {
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
