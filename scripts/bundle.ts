import { builtinModules, isBuiltin } from "node:module";
import { relative, resolve } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { withBuiltins } from "./builtin-imports.ts";
import { findForeignLoads } from "./find-loads.ts";

/** One file of dist, and the modules in it. */
export interface Bundle {
  readonly code: string;
  /** The ids of the modules in the file. */
  readonly modules: readonly string[];
  /**
   * Imports that its modules would resolve outside the bundle. Each is listed with the packages
   * that import it, outermost last.
   */
  readonly foreign: readonly string[];
}

export interface BundleOptions {
  /** Imports that stay as they are: path of the source → the file of dist. */
  readonly files?: ReadonlyMap<string, string>;
  /**
   * The oldest JavaScript version that must run the file. The default is the target Node.js
   * version.
   */
  readonly target?: string;
}

/**
 * The Kubernetes client registers all its APIs when it is imported, but qvs uses only its
 * credential plugins. Builtins have no side effects that qvs needs. Without this setting, helpers
 * of the bundler would always import `node:module`.
 */
const treeshake = {
  moduleSideEffects: (id: string) => !id.includes("@kubernetes/client-node") && !isBuiltin(id),
};

/**
 * Bundles an entry and all its imports into one file. The file imports only Node's builtins, with
 * the prefix `node:`, even if a package requires them.
 */
export async function bundleEntry(
  entry: string,
  { files = new Map(), target = "esnext" }: BundleOptions = {},
): Promise<Bundle> {
  const importers = new Map<string, readonly string[]>();
  const bundle = await rolldown({
    ...inputOf(entry, importers),
    transform: { target },
    external: (id, importer) => importer !== undefined && files.has(resolve(importer, "..", id)),
  });
  const { output } = await bundle.generate({
    ...outputOptions,
    codeSplitting: false,
    paths: (id) => files.get(id) ?? withPrefix(id),
  });
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`${entry} became more than one file`);
  return bundleOf(chunk, importers);
}

/**
 * A part of a program: the modules of some entries with all their imports, except those in an
 * earlier part.
 */
export interface ProgramPart {
  readonly name: string;
  /** The sources of the entries. */
  readonly entries: readonly string[];
}

/**
 * Bundles an entry and all its imports into several files, so that a start reads only the parts
 * that it needs. The file of the entry is NAME.js, and the others are NAME-PART.js. The bundler
 * fills the parts in order. A part imports earlier ones, and also later ones if it needs their
 * modules. A module behind a dynamic import that is in no part becomes a part.
 */
export async function bundleParts(
  name: string,
  entry: string,
  parts: readonly ProgramPart[],
): Promise<ReadonlyMap<string, Bundle>> {
  const importers = new Map<string, readonly string[]>();
  const bundle = await rolldown({
    ...inputOf({ [name]: entry }, importers),
    preserveEntrySignatures: "allow-extension",
    transform: { target: "esnext" },
  });
  const { output } = await bundle.generate({
    ...outputOptions,
    codeSplitting: { groups: groupsOf([{ name: "start", entries: [entry] }, ...parts]) },
    entryFileNames: "[name].js",
    chunkFileNames: `${name}-[name].js`,
    paths: withPrefix,
  });
  return new Map(
    output.map((file) => {
      if (file.type !== "chunk") throw new Error(`${file.fileName} isn't a program`);
      const made = bundleOf(file, importers);
      return [file.fileName, { ...made, code: withBuiltins(made.code) }];
    }),
  );
}

/** Returns the groups of modules. One with a higher priority is filled first. */
function groupsOf(parts: readonly ProgramPart[]) {
  return parts.map(({ name, entries }, index) => {
    const ids = new Set(entries.map((each) => resolve(each)));
    return { name, test: (id: string) => ids.has(id), priority: parts.length - index };
  });
}

function inputOf(
  input: string | Readonly<Record<string, string>>,
  importers: Map<string, readonly string[]>,
) {
  return {
    input,
    platform: "node" as const,
    logLevel: "warn" as const,
    treeshake,
    plugins: [
      standIn,
      esmExternalRequirePlugin({ external: [...builtinModules, /^node:/] }),
      rememberImporters(importers),
    ],
  };
}

function bundleOf(chunk: OutputChunk, importers: ReadonlyMap<string, readonly string[]>): Bundle {
  return {
    code: chunk.code,
    modules: chunk.moduleIds,
    foreign: foreignIn(chunk, importers),
  };
}

/** Adds the prefix `node:` to builtins, so that a directory called `fs` can't replace `node:fs`. */
function withPrefix(id: string): string {
  return isBuiltin(id) && !id.startsWith("node:") ? `node:${id}` : id;
}

/**
 * Keeps the names of functions and classes: stack traces show them, and some packages name their
 * errors after their classes.
 */
const minify = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { keepNames: true },
};

const outputOptions = { format: "esm", minify, comments: false } as const;

const clientConfig = /@kubernetes\/client-node\/dist\/config\.js$/;

const standIn: Plugin = {
  name: "stand-in",
  async resolveId(id, importer, options) {
    if (importer === undefined || !importer.includes("@kubernetes/client-node")) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    if (found === null || !clientConfig.test(found.id)) return found;
    return resolve(import.meta.dirname, "stand-ins/client-config.ts");
  },
};

function rememberImporters(importers: Map<string, readonly string[]>): Plugin {
  return {
    name: "remember-importers",
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const info = this.getModuleInfo(id);
        importers.set(id, [...(info?.importers ?? []), ...(info?.dynamicImporters ?? [])]);
      }
    },
  };
}

/**
 * Returns foreign loads in the packages of a chunk. The bundler's own helpers are ignored: the
 * chunk has one only if a module needs it, and then that module is reported.
 */
function foreignIn(
  { modules }: OutputChunk,
  importers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const own = { files: new Set<string>(), startsWorkers: true };
  return Object.entries(modules)
    .filter(([id]) => id.includes("node_modules"))
    .flatMap(([id, { code }]) =>
      findForeignLoads(code ?? "", own).map(({ text, why }) => {
        const chain = packagesAbove(id, importers).join(", brought by ");
        return `${text} in ${relative(process.cwd(), id)}: ${why} (${chain})`;
      }),
    );
}

/** Returns the packages from a module up to qvs's own source, by the shortest path. */
function packagesAbove(
  id: string,
  importers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const ways = [[id]];
  const seen = new Set<string>([id]);
  for (const way of ways) {
    const last = way.at(-1) ?? id;
    if (!last.includes("node_modules")) return [...new Set(way.map(packageOf))];
    for (const importer of importers.get(last) ?? []) {
      if (seen.has(importer)) continue;
      seen.add(importer);
      ways.push([...way, importer]);
    }
  }
  return [packageOf(id)];
}

function packageOf(id: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
  return name ?? relative(process.cwd(), id);
}
