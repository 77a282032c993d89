import { type FindingCode, findingCodes } from "./finding-codes.ts";

/**
 * The conditions that fail a preview: the severity or code of a finding, or an action of the plan.
 */
export type FailOn = "error" | "warning" | "deletions" | "replacements" | "conflicts" | FindingCode;

const generalConditions = ["error", "warning", "deletions", "replacements", "conflicts"] as const;

/** All valid words in a list of conditions. `nothing` stands for an empty list. */
export const failOnWords: readonly string[] = [
  ...generalConditions,
  ...Object.keys(findingCodes),
  "nothing",
];

export const defaultFailOn: readonly FailOn[] = ["error"];

export function isFailOn(word: string): word is FailOn {
  return word !== "nothing" && failOnWords.includes(word);
}
