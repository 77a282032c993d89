import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

/**
 * npm runs this before and after it packs: the package says which commit it was made of, and the work tree, where that
 * would soon be wrong, does not.
 */
const file = new URL("../packed-commit.txt", import.meta.url);
const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();

if (process.argv[2] === "remove") rmSync(file, { force: true });
else {
  const changed =
    git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes";
  writeFileSync(file, `${git("rev-parse", "--short=12", "HEAD")}${changed}\n`);
}
