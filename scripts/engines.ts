import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** A Go module that becomes a wasm module and a program of each machine. */
export interface GoEngine {
  /** The directory of the module. */
  readonly module: string;
  /** The names of its Go files and of those that it shares, relative to the module. */
  readonly files: readonly string[];
  /** Packages of the standard library → the file that replaces them, below the module. */
  readonly stubs: Readonly<Record<string, string>>;
  /** The packed wasm module in dist. */
  readonly wasm: string;
  /** The name of the native program. */
  readonly program: string;
  /** The file with the digest of the sources, and the constant in it. */
  readonly build: { readonly file: string; readonly constant: string; readonly engine: string };
}

/** Evaluates adapters. */
export const cueEngine: GoEngine = {
  module: join(root, "engine"),
  files: [
    ...goFiles("engine").filter((name) => !/^(?:host|render)\//.test(name)),
    ...goFiles("engine/host").map((name) => `host/${name}`),
  ],
  stubs: {},
  wasm: "cue.wasm.zst",
  program: "qvs-engine",
  build: {
    file: join(root, "src/io/cue/engine/engine-build.ts"),
    constant: "engineSources",
    engine: "CUE engine",
  },
};

/** Renders charts and overlays. */
export const renderEngine: GoEngine = {
  module: join(root, "engine/render"),
  files: [...goFiles("engine/render"), ...goFiles("engine/host").map((name) => `../host/${name}`)],
  // Its libraries would open connections, and the code for them is a sixth of the program.
  stubs: { "net/http": "stubs/net-http/http.go", "crypto/tls": "stubs/crypto-tls/tls.go" },
  wasm: "render.wasm.zst",
  program: "qvs-render",
  build: {
    file: join(root, "src/io/render/render-build.ts"),
    constant: "renderSources",
    engine: "render engine",
  },
};

export const engines = [cueEngine, renderEngine] as const;

/** Lists the files that decide about the program of a Go module. */
function goFiles(directory: string): readonly string[] {
  const names = ["go.mod", "go.sum", "**/*.go"].flatMap((pattern) =>
    globSync(pattern, { cwd: join(root, directory) }),
  );
  return [...new Set(names)].filter((name) => !name.endsWith("_test.go")).toSorted();
}

/** Returns the digest of the Go sources of the native program, most of which wasm shares. */
export function sourcesOf({ module, files }: GoEngine): string {
  const hash = createHash("sha256");
  for (const name of files) {
    if (/(?:^|\/)wasm\//.test(name)) continue;
    const text = readFileSync(join(module, name));
    hash.update(`${name} ${text.length}\n`).update(text);
  }
  return hash.digest("hex");
}

/** Returns the content of the file with the digest of the current sources. */
export function engineBuild(engine: GoEngine): string {
  const { constant, engine: name } = engine.build;
  return `/** The digest of the sources of the ${name}. A native engine of other sources isn't used. */
export const ${constant} = "${sourcesOf(engine)}";
`;
}

/** Writes the digests of all engines. */
export function writeEngineBuilds(): void {
  for (const engine of engines) {
    const text = engineBuild(engine);
    if (readFileSync(engine.build.file, "utf8") !== text) writeFileSync(engine.build.file, text);
  }
}
