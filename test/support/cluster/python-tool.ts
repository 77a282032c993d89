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
 * Returns the absolute path of a program from PyPI. Installs it into the cache if it is missing.
 * Its requirements.txt contains version and hash and is the cache key, so a changed file causes a
 * new installation. Throws a UserError if Python can't install it.
 */
export async function installPythonTool(program: "termtosvg" | "zizmor"): Promise<string> {
  const requirements = join(import.meta.dirname, "tools", program, "requirements.txt");
  const hash = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex");
  const directory = join(cacheDirectory(), "tools", `${program}-${hash.slice(0, 16)}`);
  // This file is written last, so an interrupted installation is repeated.
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
