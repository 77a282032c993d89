import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, inject, test } from "vitest";
import { runKubectl } from "../../support/cluster/kubectl.ts";
// Imports the types of the values that `inject` returns.
import type {} from "../../support/global-cluster.ts";
import { type DocumentationPage, pagesThatNeed } from "./pages.ts";
import { type Setting, writePage } from "./read-page.ts";
import { runPage } from "./run-page.ts";
import { openShell, type PageShell } from "./shell.ts";

/**
 * Compares console blocks that need a cluster with the output of their commands. `vitest run
 * --project system test/docs -u` writes the current output.
 */
const cluster = inject("cluster");
const root = join(import.meta.dirname, "../../..");
const pages = pagesThatNeed("cluster");

test.concurrent.for(pages)("$path shows the output of its commands", async (one, { expect }) => {
  const played = await inTurn(namespacesOf(one), () => runPage(one.page, openInCluster));
  await expect(writePage(played)).toMatchFileSnapshot(one.file);
});

afterAll(() => remove(pages.flatMap(namespacesOf)));

function namespacesOf({ page }: DocumentationPage): readonly string[] {
  return page.parts.flatMap((part) => (part.type === "run" ? part.setting.namespaces : []));
}

const lastIn = new Map<string, Promise<unknown>>();

/**
 * Runs pages that share a namespace one after the other, and all others in parallel, because most
 * of their time is waiting.
 */
function inTurn<T>(namespaces: readonly string[], work: () => Promise<T>): Promise<T> {
  const before = Promise.allSettled(namespaces.map((name) => lastIn.get(name)));
  const done = before.then(work);
  for (const name of namespaces) lastIn.set(name, done);
  return done;
}

/**
 * Opens a shell for a page. Its namespaces have the names that a reader would use, so two pages can
 * use the same one.
 */
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
