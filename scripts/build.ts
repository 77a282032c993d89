import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ncc from "@vercel/ncc";
import { rolldown } from "rolldown";
import { buildWasm } from "./build-wasm.ts";

/**
 * Builds dist/: `index.js` (the Action), `cli.js` (the command), `compile.js` (the worker that holds the engine), and
 * `cue.wasm.zst`. Rolldown makes one file of each entry first, because ncc cannot read TypeScript 7 and numbers many
 * modules differently in different folders; ncc then collects assets and licences. The result is the same bytes
 * anywhere, so `--check` can compare a fresh build with the committed one.
 */
const entries = {
  index: "src/main.ts",
  cli: "src/cli.ts",
  compile: "src/compile-worker.ts",
} as const;
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
  for (const [name, entry] of Object.entries(entries)) {
    const files = await packageEntry(name, entry);
    for (const [file, content] of files) writeFileSync(join(directory, file), content);
  }
  if (withWasm) await buildWasm(join(directory, "cue.wasm.zst"));
}

async function packageEntry(name: string, entry: string): Promise<Map<string, string | Buffer>> {
  const directory = mkdtempSync(join(tmpdir(), "qvs-build-"));
  const bundled = join(directory, `${name}.js`);
  const bundle = await rolldown({ input: entry, platform: "node", logLevel: "warn", treeshake });
  await bundle.write({ file: bundled, format: "esm", codeSplitting: false, minify: false });
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  const { code, assets } = await ncc(bundled, {
    quiet: true,
    minify: true,
    cache: false,
    esm: true,
  });
  rmSync(directory, { recursive: true });
  const files = new Map<string, string | Buffer>([[`${name}.js`, code]]);
  for (const [file, asset] of Object.entries(assets))
    if (file !== "package.json") files.set(file, asset.source);
  return files;
}

/** Fails with the names of the files that a fresh build changes. */
async function check(): Promise<void> {
  const fresh = mkdtempSync(join(tmpdir(), "qvs-dist-"));
  await build(fresh, true);
  const names = [...new Set([...readdirSync(fresh), ...readdirSync("dist")])].sort();
  const stale = names.filter((name) => !sameFile(join(fresh, name), join("dist", name)));
  rmSync(fresh, { recursive: true });
  if (stale.length === 0) return console.log(`dist is fresh: ${names.join(", ")}`);
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
