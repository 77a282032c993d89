/**
 * Follows src/upload/upload-artifact.ts of actions/upload-artifact v7: `overwrite` deletes the
 * artifact of the input `name`, even if `archive: false` names the new one after its file, and a
 * name that exists is a conflict.
 */
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

const { INPUT_PATH: path, INPUT_ARCHIVE: archive, INPUT_OVERWRITE: overwrite } = process.env;
const uploads = process.env.FAKE_UPLOADS;
const name = process.env.INPUT_NAME || "artifact";
if (overwrite === "true") rmSync(join(uploads, name), { recursive: true, force: true });
const artifact = join(uploads, archive === "false" ? basename(path) : name);
if (existsSync(artifact)) {
  process.stdout.write("::error::(409) Conflict: an artifact with this name already exists\n");
  process.exit(1);
}
mkdirSync(uploads, { recursive: true });
if (archive !== "false") mkdirSync(artifact);
cpSync(path, archive === "false" ? artifact : join(artifact, basename(path)));
