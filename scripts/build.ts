import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildNative, thisMachine } from "./build-native.ts";
import { buildWasm } from "./build-wasm.ts";
import { type Bundle, bundleEntry, bundleParts } from "./bundle.ts";
import { renderEngineLicences } from "./engine-licences.ts";
import { engines, writeEngineBuilds } from "./engines.ts";
import { findForeignLoads } from "./find-loads.ts";
import { licencesOf, renderLicences } from "./licences.ts";
import { pack } from "./pack.ts";

/**
 * Builds dist/: `index.js` with `action.js` (the Action), `cli.js` with `command.js`, `qvs.js` and
 * its parts `qvs-….js` (the command), `compile.js` (the worker with the engine), `setup.js`,
 * the engines `cue.wasm.zst` and `render.wasm.zst` with `engine-licences.txt`, the workflows of
 * `qvs init`, and `package.json`.
 * The bytes are the same on every machine, so `--check` can compare a fresh build with the
 * committed one. `--native` also builds the engines as programs for this machine, in native/. The
 * build fails if a file of dist would load anything from the directory where it runs.
 */
const entries = {
  action: "src/action/program.ts",
  compile: "src/compile-worker.ts",
} as const;
/**
 * The parts of the command. A command reads only the parts that it needs. The first part has
 * everything for `qvs help` and `qvs --version`.
 */
const command = {
  name: "qvs",
  source: "src/cli/program/program.ts",
  parts: [
    { name: "world", entries: ["src/cli/program/open-cli-world.ts"] },
    { name: "compile", entries: ["src/cli/compile.ts"] },
    {
      name: "modules",
      entries: ["describe", "lock", "outdated", "schema", "changed"].map(
        (name) => `src/cli/${name}.ts`,
      ),
    },
    { name: "cluster", entries: ["src/world/open-target.ts"] },
    {
      name: "queries",
      entries: [
        "src/cli/queries/status.ts",
        "src/cli/queries/releases.ts",
        "src/cli/completion/complete-line.ts",
      ],
    },
    {
      name: "deploy",
      entries: [
        ...["deploy", "delete", "drift/drift", "drift/reconcile", "queries/get"].map(
          (name) => `src/cli/${name}.ts`,
        ),
      ],
    },
    { name: "diff", entries: ["diff", "rbac"].map((name) => `src/cli/${name}.ts`) },
    { name: "graph", entries: ["src/cli/graph.ts"] },
    { name: "document", entries: ["src/cli/output/show-document.ts"] },
    { name: "init", entries: ["src/cli/init/init.ts"] },
    { name: "completion", entries: ["src/cli/completion/completion.ts"] },
    { name: "controller", entries: ["src/cli/drift/reconcile-watch.ts"] },
  ],
} as const;
/**
 * Small files that start the engine and then import one of the entries, so that the engine starts
 * early.
 */
const starters = { index: "src/main.ts", command: "src/command.ts" } as const;
/**
 * The file that npm links to. It only checks the version of Node.js, so it must also run on old
 * versions.
 */
const entry = { name: "cli.js", source: "src/cli.ts" } as const;
/** The entry of the Action in setup/. */
const setup = { name: "setup.js", source: "src/setup.ts" } as const;
/** The workflows that `qvs init` writes to .github/workflows. */
const callers = ["plan.yml", "comment.yml", "deploy.yml", "rollback.yml"] as const;
/**
 * The package.json next to the files of dist. With it, Node.js doesn't search for one in the
 * repository that contains dist.
 */
const ownPackage = `${JSON.stringify({ private: true, type: "module" }, undefined, 2)}\n`;

const { values } = parseArgs({
  options: {
    check: { type: "boolean" },
    native: { type: "boolean" },
    wasm: { type: "boolean" },
  },
});

if (values.check) await check();
else {
  writeEngineBuilds();
  if (values.native)
    for (const engine of engines)
      console.log(`Built ${buildNative("native", thisMachine(), engine)}`);
  await build("dist", values.wasm ?? false);
}

async function build(directory: string, withWasm: boolean): Promise<void> {
  const bundles = await bundleAll();
  refuseForeignLoads(bundles);
  mkdirSync(directory, { recursive: true });
  removeOtherParts(directory, new Set(bundles.keys()));
  const licences = new Map<string, string>();
  for (const [name, { code, modules }] of bundles) {
    writeFileSync(join(directory, name), code);
    for (const [owner, text] of licencesOf(modules)) licences.set(owner, text);
  }
  writeFileSync(join(directory, "package.json"), ownPackage);
  writeFileSync(join(directory, "licences.txt"), renderLicences(licences));
  for (const name of callers) cpSync(join("workflows", name), join(directory, name));
  if (withWasm) buildEngines(directory);
}

/** Builds the engines, and writes the licenses of the Go modules in them. */
function buildEngines(directory: string): void {
  for (const engine of engines) buildWasm(directory, engine);
  writeFileSync(join(directory, "engine-licences.txt"), renderEngineLicences());
}

/** Removes parts of the command that an earlier build made. */
function removeOtherParts(directory: string, names: ReadonlySet<string>): void {
  const others = readdirSync(directory).filter((name) => /^qvs-.*\.js$/.test(name));
  for (const name of others) if (!names.has(name)) rmSync(join(directory, name));
}

async function bundleAll(): Promise<ReadonlyMap<string, Bundle>> {
  const bundles = new Map<string, Bundle>();
  const files = new Map<string, string>();
  for (const [name, source] of Object.entries(entries)) {
    const bundle = await bundleEntry(source);
    bundles.set(`${name}.js`, { ...bundle, code: await pack(`${name}.js`, bundle.code) });
    files.set(resolve(source), `./${name}.js`);
  }
  const { name: program, source: programSource, parts } = command;
  for (const [name, bundle] of await bundleParts(program, programSource, parts))
    bundles.set(name, bundle);
  files.set(resolve(programSource), `./${program}.js`);
  for (const [name, source] of Object.entries(starters)) {
    bundles.set(`${name}.js`, await bundleEntry(source, { files }));
    files.set(resolve(source), `./${name}.js`);
  }
  bundles.set(setup.name, await bundleEntry(setup.source, { files }));
  bundles.set(entry.name, await bundleEntry(entry.source, { files, target: "es2018" }));
  return bundles;
}

function refuseForeignLoads(bundles: ReadonlyMap<string, Bundle>): void {
  const files = new Set([...bundles.keys(), ...callers, ...engines.map(({ wasm }) => wasm)]);
  const found = [...bundles].flatMap(([name, { code, foreign }]) => {
    const startsWorkers = Object.keys(starters).includes(name.replace(/\.js$/, ""));
    const loads = findForeignLoads(code, { files, startsWorkers });
    const inBundle = loads.map(({ text, why }) => `${text}: ${why}`);
    return [...inBundle, ...foreign].map((each) => `  dist/${name}: ${each}`);
  });
  if (found.length === 0) return;
  throw new Error(
    [
      "dist would load files from the current directory, which other people can write to:",
      ...found,
      "Remove it from the bundle, or replace it (scripts/bundle.ts).",
    ].join("\n"),
  );
}

/** Throws an error with the names of the files that differ from a fresh build. */
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
