import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { wasi } from "../src/io/cue/engine/wasm.ts";
import { engines, type GoEngine } from "./engines.ts";
import { goBuild } from "./go-build.ts";
import { preinitialise } from "./preinitialise.ts";

/**
 * Builds the engines into cue.wasm.zst and render.wasm.zst. The bytes are the same on every machine
 * with the Go toolchain of their go.mod. `node scripts/build-wasm.ts` writes them to dist; with
 * `--check` it only compares.
 */
/**
 * Level 19 would make the file 12% smaller, but each start would take 35 ms longer to unpack it.
 */
const compressionLevel = 12;
/** A window of 8 MiB, twice that of level 12, makes the engines 1 % smaller. */
const windowLog = 23;
/** 2 GiB (docs/reference/adapters.md#limits) in pages of 64 KiB. */
const memoryLimitPages = 32_768;

/** The variables with which Go builds for WebAssembly. */
export const wasmTarget: NodeJS.ProcessEnv = { GOOS: "wasip1", GOARCH: "wasm", GOWASM: "" };

/** Writes a compressed engine. Returns the SHA-256 of the WebAssembly module inside. */
export function buildWasm(directory: string, engine: GoEngine): string {
  const wasm = compileEngine(engine);
  writeFileSync(join(directory, engine.wasm), compress(wasm));
  return sha256(wasm);
}

function compileEngine(engine: GoEngine): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "qvs-engine-"));
  const out = join(folder, "engine.wasm");
  goBuild({
    engine,
    package: "./wasm",
    out,
    flags: ["-buildmode=c-shared", "-ldflags=-s -w"],
    target: wasmTarget,
  });
  const wasm = readFileSync(out);
  rmSync(folder, { recursive: true });
  return preinitialise(wasm, start, memoryLimitPages);
}

/**
 * Starts the module. The host's files are needed only for an evaluation, which doesn't happen here.
 */
function start(wasm: Uint8Array): WebAssembly.Instance {
  const module = new WebAssembly.Module(wasm);
  const memory = () => instance.exports.memory as WebAssembly.Memory;
  const notYet = () => {
    throw new Error("the engine asked for a file while it was initialised");
  };
  const instance: WebAssembly.Instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: wasi(module, memory, () => 0n).imports,
    host: { list_files: notYet, list_entries: notYet, read_file: notYet },
  });
  (instance.exports._initialize as () => void)();
  return instance;
}

function compress(wasm: Uint8Array): Uint8Array {
  return zstdCompressSync(wasm, {
    pledgedSrcSize: wasm.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: compressionLevel,
      [constants.ZSTD_c_windowLog]: windowLog,
    },
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Compares the modules inside, because another version of zstd compresses the same module
 * differently.
 */
function check(engine: GoEngine): void {
  const committed = join("dist", engine.wasm);
  const fresh = sha256(compileEngine(engine));
  const present = sha256(zstdDecompressSync(readFileSync(committed)));
  if (fresh === present) {
    console.log(`${committed} is fresh: sha256 ${fresh}`);
    return;
  }
  console.error(
    `${committed} does not come from its sources: it contains ${present}, a build makes ${fresh}.`,
  );
  console.error("Run `node scripts/build-wasm.ts` and commit the result.");
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  for (const engine of engines) {
    if (values.check) check(engine);
    else console.log(`${engine.wasm}: sha256 ${buildWasm("dist", engine)}`);
  }
}
