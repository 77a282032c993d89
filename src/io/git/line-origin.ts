import type { LineOrigin, LogEntry } from "../../ports/git.ts";
import { isFullId } from "./modules/fetch-commit.ts";
import { type GitCall, runGit } from "./run-git.ts";

/**
 * Implements `lineOrigin` of Repository. It reads the file of the commit, so changes in the working
 * tree don't count. Settings such as `blame.ignoreRevsFile` name files of the repository, which
 * the repository must not decide.
 */
export async function lineOrigin(
  commit: string,
  path: string,
  line: number,
  call: GitCall,
  most = maxCommits,
): Promise<LineOrigin | undefined> {
  if (!isFullId(commit)) return undefined;
  const flags = ["--porcelain", "--no-textconv", "--ignore-revs-file=", `-L${line},${line}`];
  const answer = await runGit(["blame", ...flags, commit, "--", path], call);
  if (answer.code !== 0) return undefined;
  const found = parsePorcelain(answer.stdout.toString());
  if (found === undefined) return undefined;
  const [isShallow, merge] = await Promise.all([
    found.isBoundary ? isShallowClone(call) : false,
    findMerge(found.entry.commit, commit, most, call),
  ]);
  return { ...found.entry, isOldestInClone: isShallow, merge };
}

/** Parses the headers of one line in the format of `git blame --porcelain`. */
function parsePorcelain(
  text: string,
): { readonly entry: LogEntry; readonly isBoundary: boolean } | undefined {
  const [first = "", ...lines] = text.split("\n");
  const [commit = ""] = first.split(" ");
  if (!isFullId(commit)) return undefined;
  // The content of the line follows a tab.
  const headers = lines.slice(
    0,
    lines.findIndex((each) => each.startsWith("\t")),
  );
  const header = (name: string) =>
    headers.find((each) => each.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  const seconds = Number(header("author-time"));
  const entry = {
    commit,
    author: header("author"),
    time: Number.isSafeInteger(seconds) ? new Date(seconds * 1000).toISOString() : "",
    subject: header("summary"),
  };
  return { entry, isBoundary: headers.includes("boundary") };
}

async function isShallowClone(call: GitCall): Promise<boolean> {
  const answer = await runGit(["rev-parse", "--is-shallow-repository"], call);
  return answer.stdout.toString().trim() === "true";
}

/** The maximum number of commits that the search for a merge reads. */
const maxCommits = 10_000;

/**
 * Returns the merge that added a commit to the branch of `tip`. Undefined if the commit was made
 * on the branch itself, or if the merge is too far back.
 */
async function findMerge(
  commit: string,
  tip: string,
  most: number,
  call: GitCall,
): Promise<LogEntry | undefined> {
  if (commit === tip) return undefined;
  const range = [`--max-count=${most}`, tip, `^${commit}`, "--"];
  const format = "--format=%H%x00%P%x00%an%x00%at%x00%s";
  const [branch, descendants] = await Promise.all([
    runGit(["log", "--first-parent", "--no-color", "--no-show-signature", format, ...range], call),
    runGit(["rev-list", "--ancestry-path", ...range], call),
  ]);
  if (branch.code !== 0 || descendants.code !== 0) return undefined;
  const later = new Set(descendants.stdout.toString().split("\n").filter(isFullId));
  const entries = branch.stdout.toString().split("\n").filter(Boolean);
  // In an incomplete list, the last commit can be any other merge.
  if (later.size >= most || entries.length >= most) return undefined;
  const entry = entries.findLast((each) => later.has(each.slice(0, each.indexOf("\0"))));
  const [id = "", parents = "", author = "", time = "", subject = ""] = entry?.split("\0") ?? [];
  // The first parent is the branch before the commit, so its next commit isn't a merge of it.
  const [before, ...merged] = parents.split(" ");
  if (!isFullId(id) || before === commit || merged.length === 0) return undefined;
  return { commit: id, author, time: new Date(Number(time) * 1000).toISOString(), subject };
}
