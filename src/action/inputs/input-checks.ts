import { getInput } from "@actions/core";
import { InvalidArgumentError } from "commander";
import type { Problem, Result } from "../../model/problems/problem.ts";
import { parseFlag } from "./parse.ts";

/** Reads inputs one after the other and remembers everything that is wrong with them. */
export interface InputChecks {
  readonly problems: readonly Problem[];
  /** The value of an input; `otherwise` where it is empty. What is read where `problems` says more is to be thrown away. */
  checked<T>(name: string, otherwise: T, read: (text: string) => T): T;
  /** Of an input that is true or false. */
  isSet(name: string, otherwise?: boolean): boolean;
  /** Of lines NAME=VALUE. */
  assignments(name: string): readonly string[];
  required<T>(read: Result<T>): T | undefined;
}

/** An input of several values, one a line. Empty lines are none, whatever ends or fills them: YAML keeps both. */
export function linesOf(name: string): readonly string[] {
  const lines = getInput(name).split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
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
      const what = `input ${name} is "${text}"`;
      problems.push({ code: "invalid-input", where: [], what, fix: error.message });
      return otherwise;
    }
  };
  const isSet = (name: string, otherwise = false) => checked(name, otherwise, parseFlag);
  const assignments: InputChecks["assignments"] = (name) => {
    const lines = linesOf(name);
    const isWrong = lines.some((line) => line.indexOf("=") < 1);
    // What was written may hold a secret, so it is not repeated.
    const what = `input ${name} has a line that is not of the form NAME=VALUE`;
    const fix = "Write one value a line, for example replicas=3";
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
