import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

/**
 * Returns the browser that CHROMIUM names, or an installed one. Otherwise, it installs Debian's.
 * Throws if that fails: a test of a page must not be skipped.
 */
export function findChromium(): string {
  const found = process.env["CHROMIUM"] ?? installed();
  if (found !== undefined) return found;
  try {
    const quiet = { stdio: ["ignore", "ignore", "pipe"] as ["ignore", "ignore", "pipe"] };
    execFileSync("apt-get", ["update", "--quiet"], quiet);
    const packages = ["install", "--yes", "--no-install-recommends", "chromium"];
    execFileSync("apt-get", packages, quiet);
  } catch (cause) {
    throw new Error(
      "There is no Chromium, and apt-get can't install it: install one, or name it in CHROMIUM",
      { cause },
    );
  }
  return installed() ?? "/usr/bin/chromium";
}

function installed(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
