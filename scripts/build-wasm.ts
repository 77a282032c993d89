import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { wasi } from "../src/io/cue/engine/wasi.ts";
import { goToolchain } from "./go-toolchain.ts";
import { preinitialise } from "./preinitialise.ts";

/**
 * Builds engine/ into cue.wasm.zst. The bytes are the same on every machine with the Go toolchain
 * of engine/go.mod. `node scripts/build-wasm.ts` writes dist/cue.wasm.zst; with `--check` it only
 * compares.
 */
const committed = "dist/cue.wasm.zst";
const engine = join(import.meta.dirname, "..", "engine");
/**
 * Level 19 would make the file 12% smaller, but each start would take 35 ms longer to unpack it.
 */
const compressionLevel = 12;
/** 2 GiB (docs/reference/adapters.md#limits) in pages of 64 KiB. */
const memoryLimitPages = 32_768;

/** Writes the compressed engine. Returns the SHA-256 of the WebAssembly module inside. */
export async function buildWasm(outFile: string): Promise<string> {
  const wasm = compileEngine();
  writeFileSync(outFile, compress(wasm));
  return sha256(wasm);
}

function compileEngine(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "qvs-engine-"));
  const out = join(folder, "cue.wasm");
  const flags = ["-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"];
  const target = {
    GOOS: "wasip1",
    GOARCH: "wasm",
    GOTOOLCHAIN: goToolchain(engine),
    GOFLAGS: "",
    GOWASM: "",
    GOEXPERIMENT: "",
  };
  execFileSync("go", ["build", ...flags, "-o", out, "./wasm"], {
    cwd: engine,
    env: { ...process.env, ...target },
    stdio: ["ignore", "inherit", "inherit"],
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
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Compares the modules inside, because another version of zstd compresses the same module
 * differently.
 */
function check(): void {
  const fresh = sha256(compileEngine());
  const present = sha256(zstdDecompressSync(readFileSync(committed)));
  if (fresh === present) {
    console.log(`${committed} is fresh: sha256 ${fresh}`);
    return;
  }
  console.error(
    `${committed} does not come from engine/: it holds ${present}, a build makes ${fresh}.`,
  );
  console.error("Run `node scripts/build-wasm.ts` and commit the result.");
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  if (values.check) check();
  else console.log(`${committed}: sha256 ${await buildWasm(committed)}`);
}
