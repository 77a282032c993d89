import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Layer, layers } from "../../scripts/layers.ts";

interface Planted {
  readonly file: string;
  readonly source: string;
  readonly rule: string;
}

const [imports, globals] = ["noRestrictedImports", "noRestrictedGlobals"];

/** Returns one violation for each rule that follows from a row of `layers.json`, at two depths. */
function violationsOf(layer: Layer): readonly Planted[] {
  const { directory, node, packages, pure, core } = layer;
  const above = layers
    .map((other) => other.directory)
    .filter((other) => other !== directory && !layer.imports.includes(other));
  const sources: readonly (readonly [source: string, rule: string])[] = [
    ...(node === "any" ? [] : [['import "node:fs";', imports] as const]),
    ...(packages === "any" ? [] : [['import "@actions/core";', imports] as const]),
    ...(pure === true ? [["export const now = Date.now();", globals] as const] : []),
    ...(pure === true ? [["export const env = process.env;", globals] as const] : []),
    ...(core === true
      ? [['import { info } from "@actions/core";\ninfo("x");', imports] as const]
      : []),
  ];
  return [0, 1, 2, 3].flatMap((depth) => {
    const below = "deeper/".repeat(depth);
    const up = `..${"/..".repeat(depth)}`;
    return [
      ...above.map((other) => [`import "${up}/${other}/a.ts";`, imports] as const),
      ...sources,
    ].map(([source, rule], index) => ({
      ...{ source, rule, file: `src/${directory}/${below}planted-${index}.ts` },
    }));
  });
}

/**
 * Violations for each rule. A glob that matches no file fails silently, so each rule must report
 * its violations.
 */
const planted: readonly Planted[] = [
  ...layers.flatMap(violationsOf),
  { file: "src/model/b.ts", source: "export default 1;", rule: "noDefaultExport" },
];

describe("the layering rules of biome.json", () => {
  const root = mkdtempSync(join(tmpdir(), "qvs-layering-"));
  let found: readonly { file: string; rule: string }[] = [];

  beforeAll(() => {
    cpSync("biome.json", join(root, "biome.json"));
    symlinkSync(join(process.cwd(), "node_modules"), join(root, "node_modules"));
    for (const { file, source } of planted) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `${source}\n`);
    }
    found = lint(root);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each(planted)("biome reports in $file: $source", ({ file, rule }) => {
    expect(found).toContainEqual({ file, rule });
  });
});

function lint(root: string): { file: string; rule: string }[] {
  const biome = join(process.cwd(), "node_modules/.bin/biome");
  const report = run(biome, ["lint", "--reporter=json", "--max-diagnostics=none", "src"], root);
  const { diagnostics } = JSON.parse(report) as {
    diagnostics: readonly { category: string; location: { path: string | { file: string } } }[];
  };
  return diagnostics.map(({ category, location }) => ({
    file: typeof location.path === "string" ? location.path : location.path.file,
    rule: category.split("/").at(-1) ?? "",
  }));
}

/**
 * Returns the output of a command. Biome exits with 1 when it finds a violation, as expected here.
 */
function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
