import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { goToolchain } from "./go-toolchain.ts";

const engine = join(import.meta.dirname, "../engine");
const generated = join(import.meta.dirname, "../src/io/cue/engine/engine-build.ts");

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
 * Builds engine/native for a machine. The bytes are the same on every machine that builds with the
 * Go toolchain of engine/go.mod. Returns the file, `PLATFORM-ARCH/qvs-engine` below `directory`.
 */
export function buildNative(directory: string, { platform, arch }: Platform): string {
  const out = resolve(directory, `${platform}-${arch}`, "qvs-engine");
  mkdirSync(resolve(out, ".."), { recursive: true });
  const flags = ["-trimpath", "-buildvcs=false", `-ldflags=-s -w -X main.sources=${sources()}`];
  const target = {
    GOOS: platform,
    GOARCH: arch === "x64" ? "amd64" : arch,
    ...{ GOAMD64: "", GOARM64: "", CGO_ENABLED: "0" },
    ...{ GOTOOLCHAIN: goToolchain(engine), GOFLAGS: "", GOEXPERIMENT: "" },
  };
  execFileSync("go", ["build", ...flags, "-o", out, "./native"], {
    cwd: engine,
    env: { ...process.env, ...target },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return out;
}

/** Returns this machine, if the native engine can be built for it. */
export function thisMachine(): Platform {
  const { platform, arch } = process;
  const machine = platforms.find((each) => each.platform === platform && each.arch === arch);
  if (machine === undefined) throw new Error(`there is no native engine for ${platform}-${arch}`);
  return machine;
}

/**
 * Returns the digest of the Go sources that both kinds of engines share, and of the native part.
 */
function sources(): string {
  const names = ["go.mod", "go.sum", "**/*.go"].flatMap((pattern) =>
    globSync(pattern, { cwd: engine }),
  );
  const hash = createHash("sha256");
  for (const name of [...new Set(names)].toSorted()) {
    if (name.endsWith("_test.go") || name.startsWith("wasm/")) continue;
    const text = readFileSync(join(engine, name));
    hash.update(`${name} ${text.length}\n`).update(text);
  }
  return hash.digest("hex");
}

/** Returns the content of engine-build.ts for the current sources. */
export function engineBuild(): string {
  return `/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "${sources()}";
`;
}

/** Writes engine-build.ts. Returns false if it was already right. */
export function writeEngineBuild(): boolean {
  const text = engineBuild();
  if (readFileSync(generated, "utf8") === text) return false;
  writeFileSync(generated, text);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(buildNative("native", thisMachine()));
