import { execFileSync } from "node:child_process";
import type { Answer, FakeServer } from "./routes.ts";

/** Lists all files of a commit with git. */
export function getTree({ apiUrl, state }: FakeServer, [, commit = ""]: RegExpExecArray): Answer {
  const text = git(state.repository, "ls-tree", "-r", "-t", "-z", commit);
  if (text === undefined) return missing;
  const tree = text
    .toString()
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const [about = "", path = ""] = line.split("\t");
      const [mode = "", type = "", sha = ""] = about.split(" ");
      return { path, mode, type, sha, url: `${apiUrl}/repos/acme/shop/git/${type}s/${sha}` };
    });
  const url = `${apiUrl}/repos/acme/shop/git/trees/${commit}`;
  return { status: 200, body: { sha: commit, url, tree, truncated: state.truncatesTrees } };
}

export function getBlob({ apiUrl, state }: FakeServer, [, sha = ""]: RegExpExecArray): Answer {
  const bytes = git(state.repository, "cat-file", "blob", sha);
  if (bytes === undefined) return missing;
  const url = `${apiUrl}/repos/acme/shop/git/blobs/${sha}`;
  const about = { sha, node_id: `B_${sha}`, size: bytes.length, url };
  return {
    status: 200,
    body: { ...about, content: bytes.toString("base64"), encoding: "base64" },
  };
}

const missing: Answer = { status: 404, body: { message: "Not Found" } };

function git(folder: string | undefined, ...args: readonly string[]): Buffer | undefined {
  if (folder === undefined) return undefined;
  try {
    return execFileSync("git", args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
