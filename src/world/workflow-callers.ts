import { readFile } from "node:fs/promises";

const isSource = import.meta.url.endsWith(".ts");

/** Written out, since the build looks at each address that the program may read. */
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

/** A comment that says why the released callers name a tag. */
const pinningNote = / # zizmor: ignore\[unpinned-uses\][^\n]*/g;

/**
 * Returns the workflows that call those of this project, which come with it: name of the file → text.
 * They deploy what is pushed to `branch`, and use `action`, as `OWNER/REPO@REF`.
 */
export async function workflowCallers(
  branch: string,
  action: string,
): Promise<ReadonlyMap<string, string>> {
  const [repository, ref] = action.split("@");
  const texts = Object.entries(files).map(async ([name, file]) => {
    const text = await readFile(file, "utf8");
    // They lie where they are copied to by then.
    const there = text
      .replaceAll(
        /qvs-action\/qvs-action(\/[\w./-]+)@v\d+/g,
        (_, path: string) => `${repository}${path}@${ref}`,
      )
      .replaceAll(pinningNote, "")
      .replace(/^# No release exists yet: .*\n/m, "# A tag can be moved: name a full commit.\n")
      .replace(/^# Copy to \.github\/workflows\/ and add /, "# Add ")
      .replace(
        /^# Copy to .* where pull requests come from forks: /,
        "# For pull requests from forks: ",
      );
    return [name, there.replace("branches: [main]", `branches: [${filterOf(branch)}]`)] as const;
  });
  return new Map(await Promise.all(texts));
}

/** As a filter of GitHub, where some characters stand for others, in YAML. */
function filterOf(branch: string): string {
  const pattern = branch.replaceAll(/[*?+![\]\\]/g, "\\$&");
  return /^[A-Za-z][\w./-]*$/.test(pattern) ? pattern : JSON.stringify(pattern);
}
