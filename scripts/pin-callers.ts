import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinned } from "./callers.ts";

/** `node scripts/pin-callers.ts v1.2.3 COMMIT`: the workflows that people copy name this release by its commit. */
const [tag = "", commit = ""] = process.argv.slice(2);
for (const name of readdirSync("workflows")) {
  const file = join("workflows", name);
  writeFileSync(file, pinned(readFileSync(file, "utf8"), tag, commit));
}
