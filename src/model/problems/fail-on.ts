import { type FindingCode, findingCodes } from "./finding-codes.ts";

/** What of a preview fails the command or the check: findings by severity or code, or what the plan does. */
export type FailOn = "error" | "warning" | "deletions" | "replacements" | "conflicts" | FindingCode;

const other = ["error", "warning", "deletions", "replacements", "conflicts"] as const;

/** Every word that a list of them may have; `nothing` stands for an empty list. */
export const failOnWords: readonly string[] = [...other, ...Object.keys(findingCodes), "nothing"];

export const defaultFailOn: readonly FailOn[] = ["error"];

export function isFailOn(word: string): word is FailOn {
  return word !== "nothing" && failOnWords.includes(word);
}
