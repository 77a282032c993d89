import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { nativeTarget, platforms } from "./build-native.ts";
import { wasmTarget } from "./build-wasm.ts";
import { engines, type GoEngine } from "./engines.ts";
import { goRoot, listPackages } from "./go-build.ts";
import { goToolchain } from "./go-toolchain.ts";
import { renderLicences } from "./licences.ts";

/** A package of a Go module that is part of a program. */
export interface ModulePackage {
  /** The path and version of the module. */
  readonly module: string;
  /** The directory of the module. */
  readonly root: string;
  /** The directory of the package. */
  readonly directory: string;
}

const root = join(import.meta.dirname, "..");
const format =
  '{{if not .Standard}}{{.Module.Path}} {{.Module.Version}}{{"\\t"}}{{.Module.Dir}}{{"\\t"}}{{.Dir}}{{end}}';

/** Returns one text with the licenses of the Go modules in all engines, each text once. */
export function renderEngineLicences(): string {
  const licences = new Map(engines.flatMap((engine) => [...engineLicences(engine)]));
  const names = Map.groupBy([...licences.keys()].sort(), (name) => licences.get(name) ?? "");
  return renderLicences(new Map([...names].map(([text, each]) => [each.join("\n"), text])));
}

/**
 * Returns the licenses of the Go modules in an engine, for all machines, and that of Go itself:
 * `module version` → license text.
 */
export function engineLicences(engine: GoEngine): ReadonlyMap<string, string> {
  const programs = [
    { engine, package: "./wasm", target: wasmTarget },
    ...platforms.map((each) => ({ engine, package: "./native", target: nativeTarget(each) })),
  ];
  const lines = new Set(programs.flatMap((program) => listPackages(program, format)));
  const packages = [...lines].map((line) => {
    const [module = "", moduleRoot = "", directory = ""] = line.split("\t");
    return { module, root: moduleRoot, directory };
  });
  const go = goRoot(engine);
  const standard = { module: `Go ${goToolchain(engine.module)}`, root: go, directory: go };
  return moduleLicences([standard, ...packages], root);
}

/**
 * Returns the licenses and notices in the directories of all packages and in their parent
 * directories, by module. Modules within `project` are parts of the project unless they have a
 * license: then it applies to their files with a copyright. Throws an error for any other module
 * without a license.
 */
export function moduleLicences(
  packages: readonly ModulePackage[],
  project: string,
): ReadonlyMap<string, string> {
  const licences = new Map<string, string>();
  for (const [module, all] of Map.groupBy(packages, (each) => each.module)) {
    const directories = new Set(all.flatMap(directoriesOf));
    const texts = [...directories].sort().flatMap(legalTexts);
    const isOwn = all.every(({ root: each }) => !relative(project, each).startsWith(".."));
    if (texts.length === 0 && isOwn) continue;
    if (texts.length === 0) throw new Error(`${module} has no license in ${all[0]?.root}`);
    const copied = isOwn ? [copiedFiles(all)] : [];
    licences.set(module, [...copied, ...new Set(texts)].join("\n\n"));
  }
  return licences;
}

/** Returns the directory of a package and its parents up to the module. */
function directoriesOf({ root: moduleRoot, directory }: ModulePackage): readonly string[] {
  if (directory === moduleRoot) return [directory];
  const parent = directoriesOf({ module: "", root: moduleRoot, directory: dirname(directory) });
  return [directory, ...parent];
}

function legalTexts(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => /^(?:licen[cs]e|copying|notice)(?!.*\.go$)/i.test(name))
    .sort()
    .map((name) => readFileSync(join(directory, name), "utf8").trim());
}

function copiedFiles(packages: readonly ModulePackage[]): string {
  const files = packages.flatMap(({ root: moduleRoot, directory }) =>
    readdirSync(directory)
      .filter((name) => name.endsWith(".go"))
      .map((name) => join(directory, name))
      .filter((file) => /^\/\*\s*Copyright/.test(readFileSync(file, "utf8")))
      .map((file) => relative(moduleRoot, file)),
  );
  return `Parts of these files: ${files.sort().join(", ")}`;
}
