import { Environment } from "@marcbachmann/cel-js";
import { matchesPattern } from "../model/text/pattern.ts";

/**
 * Creates an environment with RE2, as in the API server.
 * JavaScript's regular expressions can take unbounded time.
 */
export function createCelEnvironment(names: readonly string[]): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  for (const name of names) environment.registerVariable(name, "dyn");
  for (const each of serverOnlyFunctions) environment.registerFunction(each, failEvaluation);
  return environment.registerFunction(
    "string.matchesRe2(string): bool",
    (text: string, pattern: string) => matchesPattern(text, pattern) ?? failEvaluation(),
  );
}

/**
 * Functions that only the API server can evaluate.
 * They are registered so that an expression that doesn't reach them works. Example:
 * `!has(self.size) || isQuantity(self.size)`
 */
const serverOnlyFunctions: readonly string[] = [
  ...["isQuantity(dyn): bool", "quantity(dyn): dyn", "isURL(dyn): bool", "url(dyn): dyn"],
  ...["isIP(dyn): bool", "ip(dyn): dyn", "isCIDR(dyn): bool", "cidr(dyn): dyn"],
  ...["isSemver(dyn): bool", "semver(dyn): dyn"],
  ...["isLessThan", "isGreaterThan", "containsIP", "containsCIDR"].map(
    (name) => `dyn.${name}(dyn): bool`,
  ),
  ...["compareTo(dyn): int", "add(dyn): dyn", "sub(dyn): dyn", "family(): int"].map(
    (each) => `dyn.${each}`,
  ),
  ...["getHost", "getHostname", "getScheme", "getPort"].map((name) => `dyn.${name}(): string`),
];

function failEvaluation(): never {
  throw new Error("Only the server can evaluate this");
}

/** Replaces the function `matches` by that of RE2. */
export function useRe2(expression: string): string {
  return expression.replaceAll(/\.matches\(/g, ".matchesRe2(");
}
