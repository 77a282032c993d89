import { gitError } from "./git-error.ts";
import type { TreeEntry } from "./list-tree.ts";
import { type GitCall, runGit } from "./run-git.ts";

/** More than all CUE that one evaluation may load (docs/reference/adapters.md#limits). */
const maxBytes = 64 * 1024 * 1024;

/** Stands for a link that leads outside the repository, where exactly that was asked for. */
export const leadsOutside = Symbol("leads outside");

/** The texts of files of one commit, by path. Links are followed inside the commit; one that leads outside is left out. */
export async function readObjects(
  commit: string,
  entries: readonly TreeEntry[],
  call: GitCall,
): Promise<ReadonlyMap<string, string>> {
  const files = await readObjectsOrLinks(commit, entries, call);
  return new Map(
    [...files].filter((file): file is [string, string] => typeof file[1] === "string"),
  );
}

/** The same from a single `git cat-file`, with the links that lead outside. */
export async function readObjectsOrLinks(
  commit: string,
  entries: readonly TreeEntry[],
  call: GitCall,
): Promise<ReadonlyMap<string, string | typeof leadsOutside>> {
  const asked = entries.filter(({ path }) => !path.includes("\n"));
  if (asked.length === 0) return new Map();
  const input = asked.map(({ path, object }) => `${object ?? `${commit}:${path}`}\n`).join("");
  const command = ["cat-file", "--batch", "--follow-symlinks"];
  const answer = await runGit(command, { ...call, input, maxBytes });
  if (answer.code !== 0) throw gitError("Reading files of a commit", answer);
  const files = new Map<string, string | typeof leadsOutside>();
  let rest = answer.stdout;
  for (const { path } of asked) {
    const { type, content, next } = takeObject(rest);
    rest = rest.subarray(next);
    if (type === "symlink") files.set(path, leadsOutside);
    if (type === "blob") files.set(path, content.toString());
  }
  return files;
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
