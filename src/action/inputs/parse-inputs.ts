import { InvalidArgumentError } from "commander";

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
export function parseFlag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("Use true or false");
  return text === "true";
}
