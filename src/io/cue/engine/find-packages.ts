import { posix } from "node:path";
import type { FoundPackage } from "../../../ports/cue.ts";
import { listDirectories, type RootFiles } from "../root-files.ts";

/** The maximum number of files that qvs reads per module. A suggestion isn't worth more. */
const maxFiles = 4000;

/**
 * Returns the packages of all modules, sorted by import path.
 * It searches the files with regular expressions instead of a parser. qvs uses the result only to
 * suggest an adapter when one isn't found.
 */
export function findPackages(modules: readonly RootFiles[]): readonly FoundPackage[] {
  const found = modules.flatMap((files) => findModulePackages(files));
  return found.toSorted((a, b) => (a.importPath < b.importPath ? -1 : 1));
}

function findModulePackages(files: RootFiles): readonly FoundPackage[] {
  const module = /^[ \t]*module:\s*"([^"@]+)/m.exec(readText(files, "cue.mod/module.cue"))?.[1];
  if (module === undefined) return [];
  const packages = new Map<string, FoundPackage>();
  let read = 0;
  for (const folder of listDirectories(files)) {
    for (const name of files.list(folder).filter(isPackageFile)) {
      read += 1;
      if (read > maxFiles) return [...packages.values()];
      const text = readText(files, posix.join(folder, name));
      const packageName = /^package[ \t]+(\w+)/m.exec(text)?.[1];
      if (packageName === undefined) continue;
      const importPath = buildImportPath(module, folder, packageName);
      const before = packages.get(importPath);
      const isAdapter = /^DesignPattern\s*:/m.test(text) || before?.isAdapter === true;
      const isDefinition = /^#DesignPattern\s*:/m.test(text) || before?.isDefinition === true;
      packages.set(importPath, { importPath, isAdapter, isDefinition });
    }
  }
  return [...packages.values()];
}

function isPackageFile(name: string): boolean {
  return /^[^._].*\.cue$/.test(name) && !/_(test|tool)\.cue$/.test(name);
}

function readText(files: RootFiles, path: string): string {
  const answer = files.read(path);
  return typeof answer === "number" ? "" : answer.toString();
}

/**
 * Returns the import path as users write it: without the package name if the last directory has the
 * same name.
 */
function buildImportPath(module: string, folder: string, packageName: string): string {
  const path = folder === "." ? module : `${module}/${folder}`;
  return posix.basename(path) === packageName ? path : `${path}:${packageName}`;
}
