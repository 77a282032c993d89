import { posix } from "node:path";
import type { FoundPackage } from "../../../ports/cue.ts";
import { foldersOf } from "../folders.ts";
import type { Files } from "../sources.ts";

/** A module with more is not read to the end: what is looked for is only a guess at what somebody meant. */
const maxFiles = 4000;

/**
 * The packages of all modules, sorted by import path. It reads over the files with two patterns in place of a parser: the answer is
 * used to tell which adapter may have been meant, when one was not found.
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

/** The name is left out where the last folder has it too, as people write it. */
function importPathOf(module: string, folder: string, packageName: string): string {
  const path = folder === "." ? module : `${module}/${folder}`;
  return posix.basename(path) === packageName ? path : `${path}:${packageName}`;
}
