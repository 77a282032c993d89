import { getInput } from "@actions/core";
import { InvalidArgumentError } from "commander";
import type { Problem, Result } from "../../model/problems/problem.ts";
import { parseFlag } from "./parse-inputs.ts";

/** Reads inputs and collects all their errors. */
export interface InputChecks {
  readonly problems: readonly Problem[];
  /**
   * Returns the value of an input, or `otherwise` if it is empty or invalid. The value is
   * meaningless if `problems` gets longer.
   */
  checked<T>(name: string, otherwise: T, read: (text: string) => T): T;
  /** Returns the value of a boolean input. */
  isSet(name: string, otherwise?: boolean): boolean;
  /** Returns the NAME=VALUE lines of an input. */
  assignments(name: string): readonly string[];
  required<T>(read: Result<T>): T | undefined;
}

/**
 * Returns the values of an input with one value per line. Ignores empty lines, which some YAML
 * block styles leave.
 */
export function readInputLines(name: string): readonly string[] {
  const lines = getInput(name).split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

export function invalidValue(name: string, text: string, error: InvalidArgumentError): Problem {
  return {
    code: "invalid-input",
    where: [],
    what: `Input ${name}: "${text}" isn't a valid value`,
    fix: error.message.replace(/\.$/, ""),
  };
}

export function inputChecks(): InputChecks {
  const problems: Problem[] = [];
  const checked: InputChecks["checked"] = (name, otherwise, read) => {
    const text = getInput(name);
    if (text === "") return otherwise;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      problems.push(invalidValue(name, text, error));
      return otherwise;
    }
  };
  const isSet = (name: string, otherwise = false) => checked(name, otherwise, parseFlag);
  const assignments: InputChecks["assignments"] = (name) => {
    const lines = readInputLines(name);
    const isWrong = lines.some((line) => line.indexOf("=") < 1);
    // The line isn't repeated, because it can contain a secret.
    const what = `Input ${name}: a line isn't in the form NAME=VALUE`;
    const fix = "Write one NAME=VALUE per line, for example replicas=3";
    if (isWrong) problems.push({ code: "invalid-input", where: [], what, fix });
    return lines;
  };
  const required: InputChecks["required"] = (read) => {
    if (read.ok) return read.value;
    problems.push(...read.problems);
    return undefined;
  };
  return { problems, checked, isSet, assignments, required };
}
