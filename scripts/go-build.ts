import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { GoEngine } from "./engines.ts";
import { goToolchain } from "./go-toolchain.ts";

/** One build of a package of an engine. */
export interface GoBuild {
  readonly engine: GoEngine;
  /** The package, relative to the module. */
  readonly package: string;
  readonly out: string;
  readonly flags: readonly string[];
  /** The variables that select the machine. */
  readonly target: NodeJS.ProcessEnv;
}

/**
 * Builds a package. The bytes are the same on every machine that builds with the Go toolchain of
 * the module's go.mod.
 */
export function goBuild({ engine, package: name, out, flags, target }: GoBuild): void {
  const env = {
    ...process.env,
    ...{ GOTOOLCHAIN: goToolchain(engine.module), GOFLAGS: "", GOEXPERIMENT: "" },
    ...target,
  };
  const folder = mkdtempSync(join(tmpdir(), "qvs-overlay-"));
  try {
    const overlay = join(folder, "overlay.json");
    writeFileSync(overlay, JSON.stringify({ Replace: replacements(engine, env) }));
    const all = [...flags, "-trimpath", "-buildvcs=false", "-overlay", overlay];
    execFileSync("go", ["build", ...all, "-o", out, name], {
      cwd: engine.module,
      env,
      stdio: ["ignore", "inherit", "inherit"],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns files of the standard library → the file to read instead; empty for none. */
function replacements(
  { module, stubs }: GoEngine,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  if (Object.keys(stubs).length === 0) return {};
  const root = execFileSync("go", ["env", "GOROOT"], { cwd: module, env }).toString().trim();
  const entries = Object.entries(stubs).flatMap(([name, stub]) => {
    const directory = join(root, "src", name);
    const files = globSync("*.go", { cwd: directory }).map((each) => [join(directory, each), ""]);
    return [...files, [join(directory, basename(stub)), join(module, stub)]];
  });
  return Object.fromEntries(entries);
}
