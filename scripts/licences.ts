import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Returns the licenses of the packages in a bundle, by the ids of its modules: `name version` →
 * license text.
 */
export function licencesOf(moduleIds: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  return new Map([...folders].map(licenceIn));
}

/** Returns one text with all licenses, sorted so that it is the same on every machine. */
export function renderLicences(licences: ReadonlyMap<string, string>): string {
  return [...licences.keys()]
    .sort()
    .map((name) => `${name}\n\n${licences.get(name)?.trim()}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function packageFolder(moduleId: string): string | undefined {
  if (!moduleId.includes("/node_modules/")) return undefined;
  let folder = dirname(moduleId);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/**
 * Returns true if the package.json has a name. One without a name only sets the format of the files
 * next to it.
 */
function isPackage(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).name !== undefined;
}

function licenceIn(folder: string): readonly [string, string] {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), "utf8");
  return [`${name} ${version}`, text];
}
