import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

/**
 * Records the commit in the package. npm runs this before and after packing. In the working tree
 * the commit would soon be wrong, so it is removed there.
 */
const file = new URL("../packed-commit.txt", import.meta.url);
const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();

if (process.argv[2] === "remove") rmSync(file, { force: true });
else {
  const changed =
    git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes";
  writeFileSync(file, `${git("rev-parse", "--short=12", "HEAD")}${changed}\n`);
}
