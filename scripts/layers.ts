/**
 * Writes what follows from `layers.json`: the import rules in `biome.json`, the table in
 * `ARCHITECTURE.md`, and the line about imports in each README below `src`.
 * `node scripts/layers.ts` writes all of them; a test compares them.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A directory of src, from the lowest layer to the highest. */
export interface Layer {
  readonly directory: string;
  readonly task: string;
  /** The other directories of src that it can import. */
  readonly imports: readonly string[];
  /** Single files of other directories that it can import. */
  readonly files?: readonly string[];
  /** Node.js modules that it can import; none by default. */
  readonly node?: readonly string[] | "any";
  /** Scoped packages that it can import; none by default. */
  readonly packages?: readonly string[] | "any";
  /** True if it has no clock, no environment and no output. */
  readonly pure?: true;
  /** The only packages that it can import. */
  readonly libraries?: readonly string[];
  /** True if it can read inputs with `@actions/core`, but not print with it. */
  readonly core?: true;
}

const root = join(import.meta.dirname, "..");

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

export const layers = JSON.parse(read("layers.json")) as readonly Layer[];

const deniedGlobals = {
  process: "Pass it in.",
  fetch: "No I/O here.",
  Date: "Pass the time in, or take it from the clock.",
  console: "Return data, or report an event.",
  setTimeout: "No waiting here, except by the clock.",
};

const actionsCore = {
  allowImportNames: ["getInput", "getMultilineInput", "setSecret"],
  message: "What is shown goes through src/io/github, whose functions take encoded text only.",
};

/** Returns the overrides of biome.json that enforce the layers. */
export function layerOverrides(): readonly object[] {
  return layers.flatMap((layer) =>
    layer.libraries === undefined ? [overrideOf(layer)] : bottomOverrides(layer, layer.libraries),
  );
}

function overrideOf(layer: Layer): object {
  const { directory, imports, files = [], node = [], packages = [] } = layer;
  const denied = layers
    .map((other) => other.directory)
    .filter((other) => other !== directory && !imports.includes(other));
  const group = [
    ...denied.map((other) => `**/../${other}/**`),
    ...files.map((file) => `!**/../${file}`),
    ...(node === "any" ? [] : ["node:*", "node:*/**", ...node.map((name) => `!node:${name}`)]),
    ...(packages === "any" ? [] : ["@*/**", ...packages.map((name) => `!${name}`)]),
  ];
  return override(`src/${directory}/**`, group, messageOf(layer), layer);
}

/**
 * Returns the overrides of the bottom layer, which imports only itself. Its patterns depend on the
 * depth of the file, and the last pattern that matches an import decides.
 */
function bottomOverrides(layer: Layer, libraries: readonly string[]): readonly object[] {
  const allowed = ["!./**", "!../**", ...libraries.map((name) => `!${name}`)];
  return [0, 1, 2, 3].map((depth) => {
    const files = depth === 3 ? "*/*/*/**" : `${"*/".repeat(depth)}*.ts`;
    const outside = `${"../".repeat(depth + 1)}**`;
    return override(
      `src/${layer.directory}/${files}`,
      ["**", ...allowed, outside],
      messageOf(layer),
      layer,
    );
  });
}

function messageOf({ directory, imports, libraries = [] }: Layer): string {
  const allowed = [...imports, ...libraries].join(", ");
  return `src/${directory} imports only: ${allowed}. Pass the rest in as data or as a port, or change layers.json.`;
}

function override(
  glob: string,
  group: readonly string[],
  message: string,
  { pure, core }: Layer,
): object {
  const paths = core === true ? { paths: { "@actions/core": actionsCore } } : {};
  const options = { ...paths, patterns: [{ group, message }] };
  const globals =
    pure === true ? { noRestrictedGlobals: { level: "error", options: { deniedGlobals } } } : {};
  const style = { noRestrictedImports: { level: "error", options }, ...globals };
  return { includes: [glob], linter: { rules: { style } } };
}

/** Returns the table of the directories of src, as Markdown. */
export function layerTable(): string {
  const rows = layers.map(
    (layer) => `| \`src/${layer.directory}\` | ${layer.task} | ${usesOf(layer)} |`,
  );
  return ["| Directory | Task | Uses |", "|---|---|---|", ...rows].join("\n");
}

/**
 * Returns the directories that a layer uses, without `model`, which all use, and `redaction`, which
 * all use that show something.
 */
function usesOf({ imports, node, pure, libraries }: Layer): string {
  const uses = imports.filter((name) => name !== "model" && name !== "redaction");
  return [
    ...(pure === true ? ["pure"] : []),
    ...(libraries === undefined ? [] : ["libraries that parse text"]),
    ...(node === "any" && uses.length < 3 ? ["packages"] : []),
    ...uses.map((name) => `\`${name}\``),
  ].join(", ");
}

/** Returns the content of biome.json with the overrides of `layers.json`. */
export function freshBiome(): object {
  const written = JSON.parse(read("biome.json"));
  const others = written.overrides.filter(
    ({ includes }: { includes: readonly string[] }) => !includes[0]?.startsWith("src/"),
  );
  return { ...written, overrides: [...layerOverrides(), ...others] };
}

/** Returns the text of ARCHITECTURE.md with the table of `layers.json`. */
export function freshArchitecture(): string {
  return withRegion(read("ARCHITECTURE.md"), "layers", layerTable());
}

export const readmes = globSync("src/**/README.md", { cwd: root }).toSorted();

/** Returns the text of a README below src with the imports of its layer. */
export function freshReadme(file: string): string {
  const layer = layers.find(({ directory }) => file.startsWith(`src/${directory}/`));
  if (layer === undefined) throw new Error(`${file} is in no directory of layers.json`);
  return withRegion(read(file), "imports", importLine(layer));
}

function importLine(layer: Layer): string {
  const { directory, imports, files = [], libraries, pure } = layer;
  const own = [...imports, ...files].map((path) => asCode(`src/${path}`));
  const others = libraries?.map(asCode) ?? outsideImports(layer);
  const purity = pure === true ? " Time, environment and output come in as arguments." : "";
  return `${asCode(`src/${directory}`)} can import: ${[...own, ...others].join(", ")}.${purity}`;
}

function outsideImports({ packages = [], node = [] }: Layer): readonly string[] {
  return [
    ...(packages === "any" ? ["all packages"] : [...packages.map(asCode), "unscoped packages"]),
    ...(node === "any" ? ["all of Node.js"] : node.map((name) => asCode(`node:${name}`))),
  ];
}

function asCode(name: string): string {
  return `\`${name}\``;
}

/** Replaces the lines between `<!-- NAME -->` and `<!-- end of NAME -->`. */
function withRegion(text: string, name: string, content: string): string {
  const region = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`);
  return text.replace(region, (_, open: string, close: string) => `${open}${content}\n${close}`);
}

if (import.meta.main) {
  writeFileSync(join(root, "biome.json"), JSON.stringify(freshBiome(), undefined, 2));
  execFileSync("biome", ["format", "--write", "biome.json", "layers.json"], { cwd: root });
  writeFileSync(join(root, "ARCHITECTURE.md"), freshArchitecture());
  for (const file of readmes) writeFileSync(join(root, file), freshReadme(file));
}
