import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the Go toolchain in the go.mod of a module. Another compiler would make different bytes,
 * so exactly this version is used. Go downloads it if it isn't installed.
 */
export function goToolchain(module: string): string {
  const named = /^toolchain (\S+)$/m.exec(readFileSync(join(module, "go.mod"), "utf8"));
  if (named?.[1] === undefined) throw new Error("go.mod has no toolchain line");
  return named[1];
}
