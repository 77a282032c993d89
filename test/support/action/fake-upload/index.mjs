import { cpSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

const { INPUT_PATH: path, INPUT_NAME: name = "", FAKE_UPLOADS: uploads } = process.env;
const folder = join(uploads, name);
mkdirSync(folder, { recursive: true });
cpSync(path, join(folder, basename(path)));
