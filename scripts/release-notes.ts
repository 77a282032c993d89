import { readFileSync } from "node:fs";
import { notesOf } from "./changelog.ts";

/**
 * `node scripts/release-notes.ts v1.2.3` prints the section of CHANGELOG.md for this version, which
 * must be the version in package.json.
 */
const [tag = ""] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json has ${version}`);
process.stdout.write(notesOf(readFileSync("CHANGELOG.md", "utf8"), version));
