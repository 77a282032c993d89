import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { renamed } from "./publication.ts";

/**
 * `node scripts/name-publication.ts OWNER/REPO@REF` writes the place of a release, such as
 * `acme/qvs-action@v0`, into all files that name it. `OWNER/REPO` alone names a repository without
 * a release. `npm run docs:generate` and `npm run build` then write the files that follow from
 * them.
 */
const [place = ""] = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0");
for (const path of files.filter((each) => each !== "" && lstatSync(each).isFile())) {
  const text = readFileSync(path, "utf8");
  const next = renamed(path, text, place);
  if (next !== text) writeFileSync(path, next);
}
