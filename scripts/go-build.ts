import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { GoEngine } from "./engines.ts";
import { goToolchain } from "./go-toolchain.ts";

/** A package of an engine on one machine. */
export interface GoPackage {
  readonly engine: GoEngine;
  /** The package, relative to the module. */
  readonly package: string;
  /** The variables that select the machine. */
  readonly target: NodeJS.ProcessEnv;
}

/** One build of a package of an engine. */
export interface GoBuild extends GoPackage {
  readonly out: string;
  readonly flags: readonly string[];
}

/**
 * Builds a package. The bytes are the same on every machine that builds with the Go toolchain of
 * the module's go.mod.
 */
export function goBuild({ out, flags, ...built }: GoBuild): void {
  runGo(built, ["build", ...flags, "-trimpath", "-buildvcs=false", "-o", out]);
}

/** Returns one line in a format of `go list` for each package in the program. */
export function listPackages(built: GoPackage, format: string): readonly string[] {
  return runGo(built, ["list", "-deps", "-f", format])
    .split("\n")
    .filter((line) => line !== "");
}

/** Returns the directory of the Go toolchain of an engine. */
export function goRoot(engine: GoEngine): string {
  return execFileSync("go", ["env", "GOROOT"], { cwd: engine.module, env: goEnv(engine, {}) })
    .toString()
    .trim();
}

function goEnv({ module }: GoEngine, target: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...{ GOTOOLCHAIN: goToolchain(module), GOFLAGS: "", GOEXPERIMENT: "" },
    ...target,
  };
}

/** Runs a command of Go with the replaced files of the standard library. Returns its output. */
function runGo({ engine, package: name, target }: GoPackage, command: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "qvs-overlay-"));
  try {
    const overlay = join(folder, "overlay.json");
    writeFileSync(overlay, JSON.stringify({ Replace: replacements(engine) }));
    return execFileSync("go", [...command, "-overlay", overlay, name], {
      cwd: engine.module,
      env: goEnv(engine, target),
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 64 << 20,
    }).toString();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns files of the standard library → the file to read instead; empty for none. */
function replacements(engine: GoEngine): Readonly<Record<string, string>> {
  const { module, stubs } = engine;
  if (Object.keys(stubs).length === 0) return {};
  const root = goRoot(engine);
  const entries = Object.entries(stubs).flatMap(([name, stub]) => {
    const directory = join(root, "src", name);
    const files = globSync("*.go", { cwd: directory }).map((each) => [join(directory, each), ""]);
    return [...files, [join(directory, basename(stub)), join(module, stub)]];
  });
  return Object.fromEntries(entries);
}
