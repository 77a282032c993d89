import { globSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { parseAst } from "rolldown/parseAst";

const root = join(import.meta.dirname, "../../..");

/**
 * Returns every package name that the production dependencies could request from Node.js: imported
 * names, names in their package.json files, installed packages, and the built-in modules with and
 * without `node:`.
 */
export function requiredNames(): readonly string[] {
  const folders = installedPackages();
  const specifiers = [
    ...folders.flatMap(specifiersIn),
    ...folders.flatMap(declaredDependencies),
    ...Object.keys(lockedPackages()).map((path) => path.replace(/^.*node_modules\//, "")),
    ...builtinModules,
    ...builtinModules.map((name) => (name.startsWith("node:") ? name : `node:${name}`)),
  ];
  return [...new Set(specifiers.map(packageOf).filter((name) => name !== undefined))].sort();
}

interface LockedPackage {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

function lockedPackages(): Readonly<Record<string, LockedPackage>> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return packages;
}

/**
 * Returns the directories of packages that the sources import, and of their dependencies.
 * package.json doesn't distinguish them from tools.
 */
function installedPackages(): readonly string[] {
  const locked = lockedPackages();
  const found = new Set(importedBySources().flatMap((name) => locate(name, "", locked)));
  for (const path of found) {
    const { dependencies, optionalDependencies, peerDependencies } = locked[path] ?? {};
    const all = [dependencies, optionalDependencies, peerDependencies];
    for (const name of all.flatMap((each) => Object.keys(each ?? {}))) {
      for (const each of locate(name, path, locked)) found.add(each);
    }
  }
  return [...found].map((path) => join(root, path));
}

function importedBySources(): readonly string[] {
  const specifiers = globSync("src/**/*.ts", { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/(?:from|import) "([^."][^"]*)"/g)].map(([, name]) => name);
  });
  return specifiers.flatMap((specifier) => packageOf(specifier ?? "") ?? []);
}

/** Returns the path at which Node.js finds a package from the directory of another one. */
function locate(
  name: string,
  from: string,
  locked: Readonly<Record<string, LockedPackage>>,
): readonly string[] {
  for (let folder = from; ; folder = folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, "")) {
    const path = join(folder, "node_modules", name);
    if (path in locked) return [path];
    if (folder === "") return [];
  }
}

interface Manifest {
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

function declaredDependencies(folder: string): readonly string[] {
  const manifest = read(join(folder, "package.json"));
  if (manifest === undefined) return [];
  const { dependencies, devDependencies, optionalDependencies, peerDependencies }: Manifest =
    JSON.parse(manifest);
  const all = [dependencies, devDependencies, optionalDependencies, peerDependencies];
  return all.flatMap((each) => Object.keys(each ?? {}));
}

/**
 * Returns the module names in a package. Binaries for other platforms aren't installed, and contain
 * no JavaScript that can be bundled.
 */
function specifiersIn(folder: string): readonly string[] {
  return scriptsIn(folder).flatMap((file) => {
    const text = read(file) ?? "";
    return /\b(?:require|import|export)\b/.test(text) ? specifiersOf(text) : [];
  });
}

function scriptsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[cm]?js$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !relative(folder, file).includes("node_modules/"));
  } catch {
    return [];
  }
}

/** Returns the module names in a script. If it can't be parsed, every quoted word counts. */
function specifiersOf(text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (!Array.isArray(node)) found.push(...specifiersAt(node, text));
    for (const child of Object.values(node)) visit(child);
  };
  try {
    visit(parseAst(text));
  } catch {
    found.push(...[...text.matchAll(/(["'])([@\w./:-]+)\1/g)].map(([, , word = ""]) => word));
  }
  return found;
}

interface SyntaxNode {
  readonly type?: string;
  readonly source?: { readonly value?: unknown };
  readonly callee?: { readonly start: number; readonly end: number };
  readonly arguments?: readonly { readonly value?: unknown }[];
}

function specifiersAt(node: SyntaxNode, text: string): readonly string[] {
  const { callee } = node;
  const isRequire = callee !== undefined && /require/i.test(text.slice(callee.start, callee.end));
  const values = [node.source?.value, isRequire ? node.arguments?.[0]?.value : undefined];
  return values.filter((value) => typeof value === "string");
}

/**
 * Returns the package of a module name, such as `@scope/name` for `@scope/name/lib/x.js`. Undefined
 * for a path and for an invalid directory name.
 */
function packageOf(specifier: string): string | undefined {
  const [first = "", second = ""] = specifier.split("/");
  if (!/^[@\w][\w.:-]*$/.test(first)) return undefined;
  if (!first.startsWith("@")) return first;
  return /^[\w.-]+$/.test(second) ? `${first}/${second}` : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
