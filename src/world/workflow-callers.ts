import { readFile } from "node:fs/promises";

const isSource = import.meta.url.endsWith(".ts");

/** Written out, since the build looks at each address that the program may read. */
const files = {
  "plan.yml": new URL(isSource ? "../../workflows/plan.yml" : "./plan.yml", import.meta.url),
  "deploy.yml": new URL(isSource ? "../../workflows/deploy.yml" : "./deploy.yml", import.meta.url),
  "rollback.yml": new URL(
    isSource ? "../../workflows/rollback.yml" : "./rollback.yml",
    import.meta.url,
  ),
};

/** The workflows that call those of this project, which come with it: name of the file → text. */
export async function workflowCallers(): Promise<ReadonlyMap<string, string>> {
  const texts = Object.entries(files).map(async ([name, file]) => {
    const text = await readFile(file, "utf8");
    // They lie where they are copied to by then.
    return [name, text.replace(/^# Copy to \.github\/workflows\/ and add /, "# Add ")] as const;
  });
  return new Map(await Promise.all(texts));
}
