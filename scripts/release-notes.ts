import { readFileSync } from "node:fs";
import { publication } from "../src/model/publication.ts";
import { notesOf } from "./changelog.ts";
import { wrongPublication } from "./publication.ts";

/**
 * `node scripts/release-notes.ts v1.2.3 OWNER/REPO` prints the section of CHANGELOG.md for this
 * version. It must be the version of package.json, and all pages must name this repository and the
 * tag that the release moves.
 */
const [tag = "", repository = ""] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json has ${version}`);
const wrong = wrongPublication(publication.action, repository, tag);
if (wrong !== undefined) throw new Error(wrong);
process.stdout.write(notesOf(readFileSync("CHANGELOG.md", "utf8"), version));
