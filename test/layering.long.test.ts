import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A glob that matches nothing fails silently, so every layering rule is shown a violation that it must catch. */
const planted: readonly { file: string; source: string; rule: string }[] = [
  { file: "src/model/a.ts", source: 'import "../plan/digest.ts";', rule: "noRestrictedImports" },
  {
    file: "src/model/cluster/a.ts",
    source: 'import "../../plan/digest.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/config/a.ts", source: 'import "node:fs";', rule: "noRestrictedImports" },
  {
    file: "src/plan/a.ts",
    source: 'import "../io/git/repository.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/plan/b.ts", source: "export const now = Date.now();", rule: "noRestrictedGlobals" },
  { file: "src/report/a.ts", source: 'import "../commands/diff.ts";', rule: "noRestrictedImports" },
  {
    file: "src/releases/a.ts",
    source: "export const e = process.env;",
    rule: "noRestrictedGlobals",
  },
  {
    file: "src/redaction/a.ts",
    source: 'import "../report/rows/rows.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/redaction/b.ts", source: 'import "node:fs";', rule: "noRestrictedImports" },
  {
    file: "src/redaction/c.ts",
    source: "export const e = process.env;",
    rule: "noRestrictedGlobals",
  },
  { file: "src/report/b.ts", source: "export const e = process.env;", rule: "noRestrictedGlobals" },
  {
    file: "src/config/b.ts",
    source: 'import "../ssa/managed-fields.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/action/a.ts",
    source: 'import { info } from "@actions/core";\ninfo("x");',
    rule: "noRestrictedImports",
  },
  {
    file: "src/cli/a.ts",
    source: 'import { setFailed } from "@actions/core";\nsetFailed("x");',
    rule: "noRestrictedImports",
  },
  {
    file: "src/init/a.ts",
    source: 'import "../io/git/repository.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/init/b.ts", source: 'import "node:fs";', rule: "noRestrictedImports" },
  { file: "src/init/c.ts", source: 'import "../plan/digest.ts";', rule: "noRestrictedImports" },
  { file: "src/init/d.ts", source: "export const now = Date.now();", rule: "noRestrictedGlobals" },
  { file: "src/editors/a.ts", source: 'import "node:fs";', rule: "noRestrictedImports" },
  {
    file: "src/editors/b.ts",
    source: 'import "../report/rows/rows.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/editors/c.ts",
    source: "export const now = Date.now();",
    rule: "noRestrictedGlobals",
  },
  {
    file: "src/releases/b.ts",
    source: 'import "../io/git/repository.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/controller/a.ts",
    source: 'import "../commands/rollback.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/controller/b.ts", source: 'import "node:http";', rule: "noRestrictedImports" },
  {
    file: "src/controller/c.ts",
    source: "export const now = Date.now();",
    rule: "noRestrictedGlobals",
  },
  {
    file: "src/planning/a.ts",
    source: 'import "../commands/diff.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/planning/b.ts",
    source: 'import "../report/rows/rows.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/planning/c.ts", source: 'import "node:fs";', rule: "noRestrictedImports" },
  { file: "src/preflight/a.ts", source: 'import "../ports/git.ts";', rule: "noRestrictedImports" },
  { file: "src/admission/a.ts", source: 'import "../plan/a.ts";', rule: "noRestrictedImports" },
  { file: "src/report/a.ts", source: 'import "../admission/a.ts";', rule: "noRestrictedImports" },
  {
    file: "src/plan/order/a.ts",
    source: 'import "../../ports/git.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/plan/order/b.ts",
    source: 'import "../../commands/diff.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/plan/order/c.ts",
    source: "export const now = Date.now();",
    rule: "noRestrictedGlobals",
  },
  {
    file: "src/apply/upsert/a.ts",
    source: 'import "../../io/kubernetes/cluster.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/apply/upsert/b.ts",
    source: 'import "../../plan/plan.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/apply/readiness/status/a.ts",
    source: 'import "../../../io/kubernetes/cluster.ts";',
    rule: "noRestrictedImports",
  },
  {
    file: "src/apply/a.ts",
    source: 'import "../io/kubernetes/cluster.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/compile/a.ts", source: 'import "node:child_process";', rule: "noRestrictedImports" },
  {
    file: "src/commands/a.ts",
    source: 'import "../io/git/repository.ts";',
    rule: "noRestrictedImports",
  },
  { file: "src/commands/b.ts", source: 'import "@actions/core";', rule: "noRestrictedImports" },
  { file: "src/io/git/a.ts", source: 'import "../../plan/order.ts";', rule: "noRestrictedImports" },
  { file: "src/ssa/a.ts", source: 'import "../plan/digest.ts";', rule: "noRestrictedImports" },
  { file: "src/ssa/b.ts", source: "export const now = Date.now();", rule: "noRestrictedGlobals" },
  { file: "src/schema/a.ts", source: 'import "../plan/digest.ts";', rule: "noRestrictedImports" },
  {
    file: "src/schema/b.ts",
    source: "export const now = Date.now();",
    rule: "noRestrictedGlobals",
  },
  { file: "src/inputs/a.ts", source: 'import "node:process";', rule: "noRestrictedImports" },
  { file: "src/ports/a.ts", source: 'import "../io/git/run-git.ts";', rule: "noRestrictedImports" },
  { file: "src/sources/a.ts", source: 'import "../planning/a.ts";', rule: "noRestrictedImports" },
  { file: "src/runs/a.ts", source: 'import "../commands/diff.ts";', rule: "noRestrictedImports" },
  { file: "src/action/b.ts", source: 'import "../cli/print.ts";', rule: "noRestrictedImports" },
  { file: "src/cli/b.ts", source: 'import "../action/run.ts";', rule: "noRestrictedImports" },
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

  it.each(planted)("$file may not contain: $source", ({ file, rule }) => {
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

/** Biome exits with 1 when it finds something, which is what is wanted here. */
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
