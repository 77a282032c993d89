import type { TreeEntry } from "./list-tree.ts";
import { type GitCall, gitError, notInClone, runGit } from "./run-git.ts";

/**
 * The maximum output of git. It is more than all CUE that one evaluation can load
 * (docs/reference/adapters.md#limits).
 */
const maxBytes = 64 * 1024 * 1024;

/** The result for a requested path that is a link out of the repository. */
export const leadsOutside = Symbol("leads outside");

/**
 * Returns the contents of files in a commit as strings, by path. It follows links within the
 * commit, and omits a link that leads outside.
 * Throws a UserError if the clone lacks the content of a file. If qvs omitted the file instead, the
 * plan would delete its resources.
 */
export async function readObjects(
  commit: string,
  entries: readonly TreeEntry[],
  call: GitCall,
): Promise<ReadonlyMap<string, string>> {
  const found = await readAll(commit, entries, call);
  const lost = found.find(({ type }) => type === "missing");
  if (lost !== undefined) throw notInClone(lost.path);
  const files = found.filter(({ type }) => type === "blob");
  return new Map(files.map(({ path, content }) => [path, content.toString()]));
}

/**
 * Returns the contents of paths, which the commit might not have, and the links that lead outside.
 * It omits a path that doesn't exist, or whose content the clone lacks.
 */
export async function readObjectsOrLinks(
  commit: string,
  entries: readonly TreeEntry[],
  call: GitCall,
): Promise<ReadonlyMap<string, Buffer | typeof leadsOutside>> {
  const files = new Map<string, Buffer | typeof leadsOutside>();
  for (const { path, type, content } of await readAll(commit, entries, call)) {
    if (type === "symlink") files.set(path, leadsOutside);
    if (type === "blob") files.set(path, content);
  }
  return files;
}

/**
 * Returns the contents of files by path. It omits a file of more than `largest` bytes, or one that
 * makes the total exceed `most` bytes.
 */
export async function readSmallObjects(
  commit: string,
  entries: readonly TreeEntry[],
  { largest, most }: { readonly largest: number; readonly most: number },
  call: GitCall,
): Promise<ReadonlyMap<string, Buffer>> {
  const sizes = await readSizes(entries, call);
  let sum = 0;
  const small = entries.filter((_, index) => {
    const size = sizes[index] ?? 0;
    if (size > largest || sum + size > most) return false;
    sum += size;
    return true;
  });
  const found = await readAll(commit, small, call);
  const lost = found.find(({ type }) => type === "missing");
  if (lost !== undefined) throw notInClone(lost.path);
  return new Map(found.map(({ path, content }) => [path, content]));
}

/** Returns the sizes in bytes. The size of an object that the clone lacks is NaN. */
async function readSizes(entries: readonly TreeEntry[], call: GitCall): Promise<readonly number[]> {
  if (entries.length === 0) return [];
  const input = entries.map(({ object }) => `${object}\n`).join("");
  const answer = await runGit(["cat-file", "--batch-check=%(objectsize)"], { ...call, input });
  if (answer.code !== 0) throw gitError("read files of the commit", answer);
  return answer.stdout.toString().trimEnd().split("\n").map(Number);
}

/** Reads the entries with a single `git cat-file`. */
async function readAll(commit: string, entries: readonly TreeEntry[], call: GitCall) {
  const requested = entries.filter(({ path }) => !path.includes("\n"));
  if (requested.length === 0) return [];
  const input = requested.map(({ path, object }) => `${object ?? `${commit}:${path}`}\n`).join("");
  const command = ["cat-file", "--batch", "--follow-symlinks"];
  const answer = await runGit(command, { ...call, input, maxBytes });
  if (answer.code !== 0) throw gitError("read files of the commit", answer);
  let rest = answer.stdout;
  return requested.map(({ path }) => {
    const { type, content, next } = takeObject(rest);
    rest = rest.subarray(next);
    return { path, type, content };
  });
}

interface Taken {
  readonly type: string;
  readonly content: Buffer;
  readonly next: number;
}

/**
 * Takes the first object from the output of `git cat-file`.
 * The output is `<object> <type> <size>\n<content>\n`. It is `<type> <size>\n<content>\n` for a
 * link that leads outside, or whose target doesn't exist. It is `<asked> missing\n` for a missing
 * object, and the requested path can contain spaces.
 */
function takeObject(output: Buffer): Taken {
  const lineEnd = output.indexOf("\n");
  const words = output.subarray(0, lineEnd).toString().split(" ");
  const last = words.at(-1) ?? "";
  if (!/^\d+$/.test(last)) return { type: last, content: Buffer.alloc(0), next: lineEnd + 1 };
  const start = lineEnd + 1;
  const end = start + Number(last);
  return { type: words.at(-2) ?? "", content: output.subarray(start, end), next: end + 1 };
}
