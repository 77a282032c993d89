import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { engines, type GoEngine, sourcesOf } from "./engines.ts";
import { goBuild } from "./go-build.ts";

/** A machine that the native engine is built for, in the terms of Node.js. */
export interface Platform {
  readonly platform: "linux" | "darwin";
  readonly arch: "x64" | "arm64";
}

/** The machines for which a release contains a native engine. */
export const platforms: readonly Platform[] = [
  { platform: "linux", arch: "x64" },
  { platform: "linux", arch: "arm64" },
  { platform: "darwin", arch: "x64" },
  { platform: "darwin", arch: "arm64" },
];

/**
 * Builds the package `native` of an engine for a machine. The bytes are the same on every machine
 * that builds with the Go toolchain of its go.mod. Returns the file, `PLATFORM-ARCH/PROGRAM` below
 * `directory`.
 */
export function buildNative(directory: string, machine: Platform, engine: GoEngine): string {
  const { platform, arch } = machine;
  const out = resolve(directory, `${platform}-${arch}`, engine.program);
  mkdirSync(resolve(out, ".."), { recursive: true });
  goBuild({
    engine,
    package: "./native",
    out,
    flags: [`-ldflags=-s -w -X main.sources=${sourcesOf(engine)}`],
    target: nativeTarget(machine),
  });
  return out;
}

/** Returns the variables with which Go builds for a machine. */
export function nativeTarget({ platform, arch }: Platform): NodeJS.ProcessEnv {
  return {
    GOOS: platform,
    GOARCH: arch === "x64" ? "amd64" : arch,
    ...{ GOAMD64: "", GOARM64: "", CGO_ENABLED: "0" },
  };
}

/** Returns this machine, if the native engine can be built for it. */
export function thisMachine(): Platform {
  const { platform, arch } = process;
  const machine = platforms.find((each) => each.platform === platform && each.arch === arch);
  if (machine === undefined) throw new Error(`there is no native engine for ${platform}-${arch}`);
  return machine;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  for (const engine of engines) console.log(buildNative("native", thisMachine(), engine));
