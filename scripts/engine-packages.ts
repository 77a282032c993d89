import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { enginePackage } from "../src/world/engine-start.ts";
import { buildNative, type Platform, platforms } from "./build-native.ts";
import { engines } from "./engines.ts";

const licencesFile = "engine-licences.txt";
const root = join(import.meta.dirname, "..");

/** The fields of package.json that the packages of the engines share. */
interface MainPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly repository: unknown;
}

/** Returns the package.json of the native engine for one machine. npm installs it only there. */
export function enginePackageJson(
  { version, license, repository }: MainPackage,
  { platform, arch }: Platform,
): object {
  return {
    name: enginePackage(platform, arch),
    version,
    description: `The engines of qvs as programs for ${platform}-${arch}.`,
    license,
    repository,
    os: [platform],
    cpu: [arch],
    files: [...engines.map(({ program }) => program), licencesFile],
  };
}

/** Returns the package.json of qvs with the engines of exactly its own version. */
export function withEngines(main: MainPackage): object {
  const engines = platforms.map(({ platform, arch }) => enginePackage(platform, arch));
  return {
    ...main,
    optionalDependencies: Object.fromEntries(engines.map((name) => [name, main.version])),
  };
}

/**
 * `node scripts/engine-packages.ts DIRECTORY` builds the native engines, packs each into DIRECTORY,
 * and adds them to package.json, which only the release does: npm can't install a package from a
 * lockfile before it is published.
 */
function packEngines(directory: string): void {
  const file = join(root, "package.json");
  const main = JSON.parse(readFileSync(file, "utf8")) as MainPackage;
  for (const machine of platforms) {
    const built = engines.map((each) => buildNative(join(directory, "built"), machine, each));
    const folder = resolve(built[0] ?? "", "..");
    const json = enginePackageJson(main, machine);
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(json, undefined, 2)}\n`);
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    copyFileSync(join(root, "dist", licencesFile), join(folder, licencesFile));
    execFileSync("npm", ["pack", "--pack-destination", resolve(directory)], {
      cwd: folder,
      stdio: "inherit",
    });
  }
  writeFileSync(file, `${JSON.stringify(withEngines(main), undefined, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [directory = "packed/engines"] = process.argv.slice(2);
  mkdirSync(directory, { recursive: true });
  packEngines(directory);
}
