import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";

const { INPUT_PATH: path, INPUT_PATTERN: pattern, FAKE_UPLOADS: uploads } = process.env;
mkdirSync(path, { recursive: true });
for (const name of existsSync(uploads) ? readdirSync(uploads) : [])
  if (matchesGlob(name, pattern))
    cpSync(join(uploads, name), join(path, name), { recursive: true });
