/**
 * Writes the generated regions of the pages, between `<!-- generated: NAME … -->` and `<!-- end of
 * NAME -->`, the schemas for editors, the built-in health rules, and the manifest of the Action for
 * the reusable workflows: `npm run docs:generate`.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { actionInputs, actionOutputs } from "./action.ts";
import { actionForWorkflows } from "./action-for-workflows.ts";
import { exitCodes, findings, problems } from "./codes.ts";
import { commandNames, commandPage, commands, commonFlags, globalFlags } from "./commands.ts";
import {
  compilingFigures,
  deployingFigures,
  fleetFigures,
  pushFigures,
  rolloutFigures,
} from "./figures.ts";
import { builtInRulesFile, builtInRulesModule } from "./health-rules.ts";
import { optionalRights } from "./rights.ts";
import { schemaTables } from "./schema-tables.ts";
import { schemaFiles } from "./schemas.ts";
import { comparedVersionTable, gatedFieldTable, versionTable } from "./version-table.ts";
import { callerPermissions, concurrencyGroups, workflowInputs, workflowJobs } from "./workflows.ts";

export const generators: ReadonlyMap<string, () => string> = new Map([
  ["action-inputs", actionInputs],
  ["action-outputs", actionOutputs],
  ["caller-permissions", callerPermissions],
  ...commandNames().map((name) => [`command-${name}`, () => commandPage(name)] as const),
  ["commands", commands],
  ["common-flags", commonFlags],
  ["compared-versions", comparedVersionTable],
  ["compiling-figures", compilingFigures],
  ["concurrency-groups", concurrencyGroups],
  ["deploying-figures", deployingFigures],
  ["exit-codes", exitCodes],
  ["findings", findings],
  ["fleet-figures", fleetFigures],
  ["gated-fields", gatedFieldTable],
  ["global-flags", globalFlags],
  ["optional-rights", optionalRights],
  ["plan-file", () => schemaTables("review.schema.json")],
  ["plan-format", () => schemaTables("plan.schema.json")],
  ["problems", problems],
  ["push-figures", pushFigures],
  ["rollout-figures", rolloutFigures],
  ["version-facts", versionTable],
  ["workflow-inputs", workflowInputs],
  ["workflow-jobs", workflowJobs],
]);

const root = join(import.meta.dirname, "../..");
const region = /(<!-- generated: ([a-z-]+)[^>]*-->)[\s\S]*?(<!-- end of \2 -->)/g;

export interface GeneratedPage {
  readonly path: string;
  readonly written: string;
  readonly fresh: string;
  /** Names of the generators that it uses. */
  readonly uses: readonly string[];
}

export function generatedPages(): readonly GeneratedPage[] {
  const exclude = (path: string) => path.includes("node_modules");
  return globSync("docs/**/*.md", { cwd: root, exclude }).flatMap((path) => {
    const written = readFileSync(join(root, path), "utf8");
    const uses = Array.from(written.matchAll(region), ([, , name = ""]) => name);
    return uses.length === 0 ? [] : [{ path, written, fresh: filled(written), uses }];
  });
}

function filled(text: string): string {
  return text.replaceAll(region, (_, open: string, name: string, close: string) => {
    const generate = generators.get(name);
    if (generate === undefined) throw new Error(`Nothing generates "${name}"`);
    return `${open}\n\n${generate()}\n\n${close}`;
  });
}

/** Writes a page for each command that has none. */
function writeMissingPages(): void {
  for (const name of commandNames()) {
    const path = join(root, `docs/reference/cli/${name}.md`);
    if (!existsSync(path)) writeFileSync(path, newPage(name));
  }
}

function newPage(name: string): string {
  const region = `command-${name}`;
  return `# qvs ${name}

<!-- generated: ${region}, by npm run docs:generate -->
<!-- end of ${region} -->

See also [all commands](../cli.md).
`;
}

if (import.meta.main) {
  writeMissingPages();
  // Pages show the schemas.
  for (const [path, text] of schemaFiles) writeFileSync(join(root, path), text);
  writeFileSync(join(root, builtInRulesFile), builtInRulesModule());
  writeFileSync(join(root, "run/action.yml"), actionForWorkflows());
  for (const { path, fresh } of generatedPages()) writeFileSync(join(root, path), fresh);
}
