import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { userError } from "../../../src/model/problems/errors.ts";
import { withLock } from "../processes/lock.ts";
import { cacheDirectory } from "./cache.ts";

/**
 * Absolute path of a program from PyPI, from the cache or installed into it. Its requirements.txt holds version and hash, and is the cache
 * key: another file causes a new installation. Throws a UserError when Python can't install it.
 */
export async function installPythonTool(program: "termtosvg" | "zizmor"): Promise<string> {
  const requirements = join(import.meta.dirname, "tools", program, "requirements.txt");
  const hash = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex");
  const directory = join(cacheDirectory(), "tools", `${program}-${hash.slice(0, 16)}`);
  // It is written last, so that an installation that was cut short is done again.
  const path = join(directory, "bin", program);
  if (existsSync(path)) return path;
  await mkdir(dirname(directory), { recursive: true });
  await withLock(`${directory}.lock`, async () => {
    if (!existsSync(path)) await install(requirements, directory);
  });
  return path;
}

async function install(requirements: string, directory: string): Promise<void> {
  const run = promisify(execFile);
  const exactly = ["--require-hashes", "--only-binary=:all:", "--no-deps", "--requirement"];
  const pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"];
  try {
    await run("python3", ["-m", "venv", directory]);
    await run(join(directory, "bin/python"), [...pip, ...exactly, requirements]);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw userError(
      "invalid-input",
      `Python could not install ${requirements}: ${error instanceof Error ? error.message : error}`,
      "Install Python 3 with venv (on Debian and Ubuntu, the package python3-venv), and check the network",
    );
  }
}
