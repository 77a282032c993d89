import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Guesses from the configs in a directory whether a command evaluates an adapter. It reads them
 * before the rest of the program is loaded, so it knows no YAML and only a part of the flags.
 * Returns true if there is no config, or if one can contain the key `pattern`.
 */
export function mayUseAdapters(words: readonly string[], directory: string): boolean {
  if (words.some((word) => /^(?:-C|--directory)/.test(word))) return true;
  try {
    const files = namedConfigs(words, directory) ?? foundConfigs(directory);
    return files.length === 0 || files.some((file) => usesPattern.test(readFileSync(file, "utf8")));
  } catch {
    return true;
  }
}

/** Finds the key of an adapter. A YAML escape could hide it, which costs only time. */
const usesPattern = /\bpattern\b/;

/** Returns the config after `--config`; undefined without the flag. */
function namedConfigs(words: readonly string[], directory: string): readonly string[] | undefined {
  const at = words.findIndex((word) => /^(?:-c|--config)(?:=|$)/.test(word));
  const word = words[at];
  if (word === undefined) return undefined;
  const name = word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[at + 1];
  return name === undefined ? [] : [resolve(directory, name)];
}

function foundConfigs(directory: string): readonly string[] {
  const folder = join(directory, ".valuestream");
  return readdirSync(folder)
    .filter((name) => /^qvs.*\.ya?ml$/.test(name))
    .map((name) => join(folder, name));
}
