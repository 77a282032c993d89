import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * Returns the text of run/action.yml: action.yml for a directory below it. The reusable workflows
 * call it by the self-repository syntax `uses: $/run`, which needs a directory.
 */
export function actionForWorkflows(): string {
  const manifest = readFileSync(join(root, "action.yml"), "utf8");
  const moved = manifest.replace("main: dist/", "main: ../dist/");
  if (moved === manifest) throw new Error("action.yml starts no program below dist");
  return `# Written by npm run docs:generate from action.yml, for \`uses: $/run\` of the reusable workflows.\n${moved}`;
}
