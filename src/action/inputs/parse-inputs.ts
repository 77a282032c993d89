import { getInput } from "@actions/core";
import { InvalidArgumentError } from "commander";
import type { Problem, Result } from "../../model/problems/problem.ts";

/** Parses the output `deployments`, a JSON list of names. */
export function parseNames(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  } catch {}
  throw new InvalidArgumentError("Use the output deployments, a JSON list of names");
}

/**
 * The longest comment key. Any directory fits, and the key takes space in a comment of limited
 * size.
 */
const longestKey = 100;

export function parseKey(text: string): string {
  if (text.length <= longestKey && !/[\r\n]/.test(text)) return text;
  throw new InvalidArgumentError(`Use at most ${longestKey} characters on one line`);
}

/** Parses a prefix of labels. GitHub's limit for a whole label is 50 characters. */
export function parseLabelPrefix(text: string): string {
  if (/^[\w.-]{1,30}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Use up to 30 letters, digits and the characters . _ -, for example: qvs",
  );
}

/** Parses a directory of the repository. Removes "." and "/" at its ends. */
export function parseFolder(text: string): string | undefined {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  if (text.startsWith("/") || names.includes(".."))
    throw new InvalidArgumentError("Use a directory of the repository, relative to its root");
  return names.length === 0 ? undefined : names.join("/");
}

/** Parses the name of a workflow file. GitHub reads workflows only from one directory. */
export function parseWorkflowFile(text: string): string {
  const name = text.replace(/^\.github\/workflows\//, "");
  if (/^[\w.-]+\.ya?ml$/.test(name)) return name;
  throw new InvalidArgumentError("Use the name of a file in .github/workflows, such as plan.yml");
}

export function parseChoice<const T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((each) => each === text);
    if (found === undefined) throw new InvalidArgumentError(`Use one of ${allowed.join(", ")}`);
    return found;
  };
}

export function webAddress(text: string): string {
  if (!/^https?:\/\/\S+$/.test(text))
    throw new InvalidArgumentError("Use a URL that starts with https://");
  return text;
}

/**
 * Parses a boolean. It rejects YAML's other spellings, which arrive here as strings: "no" must not
 * mean true.
 */
function parseFlag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("Use true or false");
  return text === "true";
}

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
