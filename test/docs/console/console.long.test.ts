import { expect, test } from "vitest";
import { pagesThatNeed } from "./pages.ts";
import { writePage } from "./read-page.ts";
import { runPage } from "./run-page.ts";
import { openShell } from "./shell.ts";

/**
 * Compares console blocks with the output of their commands. `vitest run --project long test/docs
 * -u` writes the current output.
 */
test.for(pagesThatNeed("no cluster"))("$path shows the output of its commands", async (one) => {
  const played = await runPage(one.page, async ({ in: from }) => openShell(from, undefined));
  await expect(writePage(played)).toMatchFileSnapshot(one.file);
});
