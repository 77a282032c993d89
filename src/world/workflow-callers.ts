import { readFile } from "node:fs/promises";

const isSource = import.meta.url.endsWith(".ts");

/**
 * The workflow files. Each URL is a literal, because the build looks for the URLs of the files that
 * the program can read.
 */
const files = {
  "plan.yml": new URL(isSource ? "../../workflows/plan.yml" : "./plan.yml", import.meta.url),
  "comment.yml": new URL(
    isSource ? "../../workflows/comment.yml" : "./comment.yml",
    import.meta.url,
  ),
  "deploy.yml": new URL(isSource ? "../../workflows/deploy.yml" : "./deploy.yml", import.meta.url),
  "rollback.yml": new URL(
    isSource ? "../../workflows/rollback.yml" : "./rollback.yml",
    import.meta.url,
  ),
};

/** Matches the comment that explains why the released callers name a tag. */
const pinningNote = / # zizmor: ignore\[unpinned-uses\][^\n]*/g;

/**
 * Returns the workflows that call the project's reusable workflows, by file name.
 * They deploy pushes to `branch` and use `action`, as `OWNER/REPO@REF`.
 */
export async function workflowCallers(
  branch: string,
  action: string,
): Promise<ReadonlyMap<string, string>> {
  const [repository, ref] = action.split("@");
  const texts = Object.entries(files).map(async ([name, file]) => {
    const text = await readFile(file, "utf8");
    // The text is for the copied file, so it needs no instruction to copy it.
    const caller = text
      .replaceAll(
        /uses: [\w.-]+\/[\w.-]+(\/\.github\/workflows\/[\w.-]+)@\S+/g,
        (_, path: string) => `uses: ${repository}${path}@${ref}`,
      )
      .replaceAll(pinningNote, "")
      .replace(
        /^# (?:No release exists yet|A tag can be moved): .*\n/m,
        "# A tag can be moved: use a full commit.\n",
      )
      .replace(/^# Copy to \.github\/workflows\/ and add /, "# Add ")
      .replace(
        /^# Copy to .* if pull requests come from forks: /,
        "# For pull requests from forks: ",
      );
    return [
      name,
      caller.replace("branches: [main]", `branches: [${branchFilter(branch)}]`),
    ] as const;
  });
  return new Map(await Promise.all(texts));
}

/** Returns a branch as a GitHub filter pattern in YAML. Filter patterns have special characters. */
function branchFilter(branch: string): string {
  const pattern = branch.replaceAll(/[*?+![\]\\]/g, "\\$&");
  return /^[A-Za-z][\w./-]*$/.test(pattern) ? pattern : JSON.stringify(pattern);
}
