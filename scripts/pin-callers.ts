import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinned } from "./callers.ts";

/**
 * `node scripts/pin-callers.ts v1.2.3 COMMIT` pins the workflows that people copy and `qvs init`
 * writes to the commit of this release.
 */
const [tag = "", commit = ""] = process.argv.slice(2);
for (const name of readdirSync("workflows")) {
  const text = pinned(readFileSync(join("workflows", name), "utf8"), tag, commit);
  for (const folder of ["workflows", "dist"]) writeFileSync(join(folder, name), text);
}
