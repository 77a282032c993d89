import { gitError, notInClone } from "./git-error.ts";
import type { TreeEntry } from "./list-tree.ts";
import { type GitCall, runGit } from "./run-git.ts";

/** More than all CUE that one evaluation may load (docs/reference/adapters.md#limits). */
const maxBytes = 64 * 1024 * 1024;

/** Stands for a link that leads outside the repository, where exactly that was asked for. */
export const leadsOutside = Symbol("leads outside");

/**
 * The texts of files that a commit has, by path. Links are followed inside the commit; one that leads outside is left out. Throws a
 * UserError where the clone lacks the content of one: a resource that silently is not there would be planned as a deletion.
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

/** The same of paths that the commit may not have, with the links that lead outside. What is not there, or has no content here, is left out. */
export async function readObjectsOrLinks(
  commit: string,
  entries: readonly TreeEntry[],
  call: GitCall,
): Promise<ReadonlyMap<string, string | typeof leadsOutside>> {
  const files = new Map<string, string | typeof leadsOutside>();
  for (const { path, type, content } of await readAll(commit, entries, call)) {
    if (type === "symlink") files.set(path, leadsOutside);
    if (type === "blob") files.set(path, content.toString());
  }
  return files;
}

/** The contents of files by object, but no more than `largest` bytes of each and `most` of all; the others are left out. */
export async function readSmallObjects(
  commit: string,
  entries: readonly TreeEntry[],
  { largest, most }: { readonly largest: number; readonly most: number },
  call: GitCall,
): Promise<ReadonlyMap<string, Buffer>> {
  const sizes = await sizesOf(entries, call);
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

/** In bytes; that of an object which the clone lacks is no number. */
async function sizesOf(entries: readonly TreeEntry[], call: GitCall): Promise<readonly number[]> {
  if (entries.length === 0) return [];
  const input = entries.map(({ object }) => `${object}\n`).join("");
  const answer = await runGit(["cat-file", "--batch-check=%(objectsize)"], { ...call, input });
  if (answer.code !== 0) throw gitError("Reading files of a commit", answer);
  return answer.stdout.toString().trimEnd().split("\n").map(Number);
}

/** From a single `git cat-file`. */
async function readAll(commit: string, entries: readonly TreeEntry[], call: GitCall) {
  const asked = entries.filter(({ path }) => !path.includes("\n"));
  if (asked.length === 0) return [];
  const input = asked.map(({ path, object }) => `${object ?? `${commit}:${path}`}\n`).join("");
  const command = ["cat-file", "--batch", "--follow-symlinks"];
  const answer = await runGit(command, { ...call, input, maxBytes });
  if (answer.code !== 0) throw gitError("Reading files of a commit", answer);
  let rest = answer.stdout;
  return asked.map(({ path }) => {
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
 * `<object> <type> <size>\n<content>\n`; `<type> <size>\n<content>\n` for a link that leads nowhere or outside;
 * `<asked> missing\n`, where the path asked for can hold spaces.
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
