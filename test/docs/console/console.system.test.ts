import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { runKubectl } from "../../cluster/kubectl.ts";
// For its declaration of what `inject` knows.
import type {} from "../../support/global-cluster.ts";
import { pagesThatNeed } from "./pages.ts";
import { type Setting, writePage } from "./read-page.ts";
import { runPage } from "./run-page.ts";
import { openShell, type PageShell } from "./shell.ts";

/** The same with a cluster; `vitest run --project system test/docs -u` writes what is printed. */
const cluster = inject("cluster");
const root = join(import.meta.dirname, "../../..");
const pages = pagesThatNeed("cluster");

test.for(pages)("$path shows what its commands print", async (one) => {
  const played = await runPage(one.page, openInCluster);
  await expect(writePage(played)).toMatchFileSnapshot(one.file);
});

afterAll(async () => {
  const parts = pages.flatMap(({ page }) => page.parts);
  await remove(parts.flatMap((part) => (part.type === "run" ? part.setting.namespaces : [])));
});

/** Pages name their namespaces as a reader would, so that two of them may use the same one. */
async function openInCluster({ in: from, namespaces, before }: Setting): Promise<PageShell> {
  await remove(namespaces);
  const shell = openShell(from, cluster);
  if (before !== undefined) await prepare(shell, readFileSync(join(root, before), "utf8"));
  return shell;
}

async function prepare(shell: PageShell, script: string): Promise<void> {
  const { code, lines } = await shell.run(`( set -e\n${script}\n)`);
  if (code !== 0) throw new Error(lines.join("\n"));
}

async function remove(namespaces: readonly string[]): Promise<void> {
  if (namespaces.length === 0) return;
  await runKubectl(["delete", "namespace", ...namespaces, "--ignore-not-found", "--wait"], cluster);
}
