import { expect, test } from "vitest";
import { pagesThatNeed } from "./pages.ts";
import { writePage } from "./read-page.ts";
import { runPage } from "./run-page.ts";
import { openShell } from "./shell.ts";

/** What console blocks show is what their commands print; `vitest run --project long test/docs -u` writes what they print. */
test.for(pagesThatNeed("no cluster"))("$path shows the output of its commands", async (one) => {
  const played = await runPage(one.page, async ({ in: from }) => openShell(from, undefined));
  await expect(writePage(played)).toMatchFileSnapshot(one.file);
});
