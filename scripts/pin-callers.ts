import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinned } from "./callers.ts";

/**
 * `node scripts/pin-callers.ts OWNER/REPO v1.2.3 COMMIT` writes the commit of a release into the
 * workflows that people copy and `qvs init` writes.
 */
const [repository = "", tag = "", commit = ""] = process.argv.slice(2);
for (const name of readdirSync("workflows")) {
  const text = pinned(readFileSync(join("workflows", name), "utf8"), repository, tag, commit);
  for (const folder of ["workflows", "dist"]) writeFileSync(join(folder, name), text);
}
