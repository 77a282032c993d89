import { InvalidArgumentError } from "commander";

/** The output `deployments`, a JSON list. */
export function parseNames(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  } catch {}
  throw new InvalidArgumentError("Give what the output deployments holds, a JSON list of names");
}

/** Long enough for any folder; it takes its place in a comment that may be full. */
const longestKey = 100;

export function parseKey(text: string): string {
  if (text.length <= longestKey && !/[\r\n]/.test(text)) return text;
  throw new InvalidArgumentError(`Use at most ${longestKey} characters on one line`);
}

/** A folder of the repository, without "." and "/" around it. */
export function parseFolder(text: string): string | undefined {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  if (text.startsWith("/") || names.includes(".."))
    throw new InvalidArgumentError("Give a folder of the repository, relative to its root");
  return names.length === 0 ? undefined : names.join("/");
}

export function oneOf<const T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((each) => each === text);
    if (found === undefined) throw new InvalidArgumentError(`Use one of ${allowed.join(", ")}`);
    return found;
  };
}

export function webAddress(text: string): string {
  if (!/^https?:\/\/\S+$/.test(text))
    throw new InvalidArgumentError("Use a URL that begins with https://");
  return text;
}

/** YAML's other words for them would be text here, and "no" must not mean yes. */
export function parseFlag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("Use true or false");
  return text === "true";
}
