import { posix } from "node:path";
import type { FoundPackage } from "../../../ports/cue.ts";
import { foldersOf } from "../folders.ts";
import type { Files } from "../sources.ts";

/** The maximum number of files that qvs reads per module. A suggestion isn't worth more. */
const maxFiles = 4000;

/**
 * Returns the packages of all modules, sorted by import path.
 * It searches the files with regular expressions instead of a parser. qvs uses the result only to
 * suggest an adapter when one isn't found.
 */
export function findPackages(modules: readonly Files[]): readonly FoundPackage[] {
  const found = modules.flatMap((files) => packagesIn(files));
  return found.toSorted((a, b) => (a.importPath < b.importPath ? -1 : 1));
}

function packagesIn(files: Files): readonly FoundPackage[] {
  const module = /^[ \t]*module:\s*"([^"@]+)/m.exec(textOf(files, "cue.mod/module.cue"))?.[1];
  if (module === undefined) return [];
  const packages = new Map<string, FoundPackage>();
  let read = 0;
  for (const folder of foldersOf(files)) {
    for (const name of files.list(folder).filter(isPackageFile)) {
      read += 1;
      if (read > maxFiles) return [...packages.values()];
      const text = textOf(files, posix.join(folder, name));
      const packageName = /^package[ \t]+(\w+)/m.exec(text)?.[1];
      if (packageName === undefined) continue;
      const importPath = importPathOf(module, folder, packageName);
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

function textOf(files: Files, path: string): string {
  const answer = files.read(path);
  return typeof answer === "number" ? "" : answer.toString();
}

/**
 * Returns the import path as users write it: without the package name if the last directory has the
 * same name.
 */
function importPathOf(module: string, folder: string, packageName: string): string {
  const path = folder === "." ? module : `${module}/${folder}`;
  return posix.basename(path) === packageName ? path : `${path}:${packageName}`;
}
