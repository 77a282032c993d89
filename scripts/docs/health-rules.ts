import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { parseHealthRule } from "../../src/health/parse-rule.ts";
import type { HealthRule } from "../../src/model/health-rule.ts";
import type { Json } from "../../src/model/json.ts";

const root = join(import.meta.dirname, "../..");

export const builtInRulesFile = "src/health/built-in-rules.ts";
const generator = "`npm run docs:generate`";

/** Compiles `src/health/rules/*.yaml` to a module, so that qvs reads no files for its rules. */
export function builtInRulesModule(): string {
  const rules = globSync("src/health/rules/*.yaml", { cwd: root }).toSorted().flatMap(readRules);
  const lines = rules.map((rule) => `    ${JSON.stringify(rule)},\n`);
  return `import type { HealthRule } from "../model/health-rule.ts";

/** Creates the rules of src/health/rules (${generator}). Only runs that need them do. */
export function builtInRules(): readonly HealthRule[] {
  return [
${lines.join("")}  ];
}
`;
}

function readRules(path: string): readonly HealthRule[] {
  const entries: Json = parse(readFileSync(join(root, path), "utf8"));
  if (!Array.isArray(entries)) throw new Error(`${path} isn't a list of rules`);
  return entries.map((entry: Json, index) => {
    const parsed = parseHealthRule(entry, `built-in: ${basename(path)}`);
    if (typeof parsed === "string") throw new Error(`${path}, rule ${index + 1}: ${parsed}`);
    return parsed;
  });
}
