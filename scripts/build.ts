import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import ncc from "@vercel/ncc";
import { rolldown } from "rolldown";
import { buildWasm } from "./build-wasm.ts";
import { licencesOf, renderLicences } from "./licences.ts";

/**
 * Builds dist/: `index.js` with `action.js` (the Action), `cli.js` with `qvs.js` (the command), `compile.js` (the
 * worker that holds the engine), and `cue.wasm.zst`. Rolldown makes one file of each entry first, because ncc cannot read TypeScript 7 and numbers many
 * modules differently in different folders; ncc then collects assets and licences. The result is the same bytes
 * anywhere, so `--check` can compare a fresh build with the committed one.
 */
const entries = {
  action: "src/action/program.ts",
  qvs: "src/cli/program.ts",
  compile: "src/compile-worker.ts",
} as const;
/** They start the engine and then import one of the entries: so small that the engine need not wait to be started. */
const starters = { index: "src/main.ts", cli: "src/cli.ts" } as const;
/** The Kubernetes client registers all its APIs when it is imported; only its credential plugins are used. */
const treeshake = {
  moduleSideEffects: (id: string) => !id.includes("@kubernetes/client-node"),
};

const { values } = parseArgs({
  options: { check: { type: "boolean" }, wasm: { type: "boolean" } },
});

if (values.check) await check();
else await build("dist", values.wasm ?? false);

async function build(directory: string, withWasm: boolean): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const licences = new Map<string, string>();
  for (const [name, entry] of Object.entries(entries)) {
    const { files, modules } = await packageEntry(name, entry);
    for (const [file, content] of files) writeFileSync(join(directory, file), content);
    for (const [owner, text] of licencesOf(modules)) licences.set(owner, text);
  }
  for (const [name, starter] of Object.entries(starters))
    await bundleStarter(directory, name, starter);
  writeFileSync(join(directory, "licences.txt"), renderLicences(licences));
  if (withWasm) await buildWasm(join(directory, "cue.wasm.zst"));
}

interface Packaged {
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** Ids of the modules in it. */
  readonly modules: readonly string[];
}

async function packageEntry(name: string, entry: string): Promise<Packaged> {
  const directory = mkdtempSync(join(tmpdir(), "qvs-build-"));
  const bundled = join(directory, `${name}.js`);
  const bundle = await rolldown({ input: entry, platform: "node", logLevel: "warn", treeshake });
  const { output } = await bundle.write({ file: bundled, format: "esm", codeSplitting: false });
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  const options = { quiet: true, minify: true, cache: false, esm: true } as const;
  const { code, assets } = await inFolder(directory, () => ncc(bundled, options));
  rmSync(directory, { recursive: true });
  const files = new Map<string, string | Buffer>([[`${name}.js`, code]]);
  for (const [file, asset] of Object.entries(assets)) {
    if (file !== "package.json") files.set(file, asset.source);
  }
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  return { files, modules };
}

async function bundleStarter(directory: string, name: string, starter: string): Promise<void> {
  const programs = Object.entries(entries).map(
    ([entry, source]) => [resolve(source), entry] as const,
  );
  const files = new Map(programs.map(([path, entry]) => [path, `./${entry}.js`]));
  const bundle = await rolldown({
    input: starter,
    platform: "node",
    logLevel: "warn",
    external: (id, importer) => importer !== undefined && files.has(resolve(dirname(importer), id)),
  });
  await bundle.write({
    file: join(directory, `${name}.js`),
    format: "esm",
    minify: true,
    paths: (id) => files.get(id) ?? id,
  });
}

/** ncc names a module after its path from the current folder, so that must not differ between machines. */
async function inFolder<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(directory);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}

/** Fails with the names of the files that a fresh build changes. */
async function check(): Promise<void> {
  const fresh = mkdtempSync(join(tmpdir(), "qvs-dist-"));
  await build(fresh, true);
  const names = [...new Set([...readdirSync(fresh), ...readdirSync("dist")])].sort();
  const stale = names.filter((name) => !sameFile(join(fresh, name), join("dist", name)));
  rmSync(fresh, { recursive: true });
  if (stale.length === 0) {
    console.log(`dist is fresh: ${names.join(", ")}`);
    return;
  }
  console.error(
    `dist is stale: ${stale.join(", ")}. Run \`npm run build -- --wasm\` and commit the result.`,
  );
  process.exitCode = 1;
}

function sameFile(a: string, b: string): boolean {
  try {
    return readFileSync(a).equals(readFileSync(b));
  } catch {
    return false;
  }
}
