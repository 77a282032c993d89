import { readFile } from "node:fs/promises";

const names = ["plan.yml", "deploy.yml", "rollback.yml"] as const;

/** The workflows that call those of this project, which come with it: name of the file → text. */
export async function workflowCallers(): Promise<ReadonlyMap<string, string>> {
  const isSource = import.meta.url.endsWith(".ts");
  const folder = new URL(isSource ? "../../workflows/" : "../workflows/", import.meta.url);
  const texts = names.map(async (name) => {
    const text = await readFile(new URL(name, folder), "utf8");
    // They lie where they are copied to by then.
    return [name, text.replace(/^# Copy to \.github\/workflows\/ and add /, "# Add ")] as const;
  });
  return new Map(await Promise.all(texts));
}
