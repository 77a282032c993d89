import type { Fixes, Position, Problem } from "../../model/problems/problem.ts";
import type { DesignPatternUse } from "../../model/sources/config.ts";
import { closest } from "../../model/text/suggest.ts";
import type { Cue, CueProblem } from "../../ports/cue.ts";
import { distinctPlaces } from "../positions.ts";
import { explainProblem } from "./explain-problem.ts";

/**
 * Explains why the package of a designPattern can't be loaded: it doesn't exist, or a module or its
 * CUE is broken.
 */
export function loadProblems(
  errors: readonly CueProblem[],
  use: DesignPatternUse,
  cue: Cue,
): readonly Problem[] {
  const problems = firstErrorPerFile(errors).map(
    (error) =>
      moduleProblem(error, use) ??
      notFoundProblem(error, use, cue) ??
      sourceProblem(error, use, cue),
  );
  return mergeEqualProblems(problems, use);
}

/**
 * Merges equal problems into one, with the first few places. A name that is misspelled in its
 * declaration is missing in every use.
 */
function mergeEqualProblems(
  problems: readonly Problem[],
  use: DesignPatternUse,
): readonly Problem[] {
  const same = Map.groupBy(problems, ({ what, facts, fix }) => JSON.stringify([what, facts, fix]));
  return [...same.values()].flatMap(([first, ...more]) => {
    if (first === undefined || more.length === 0) return first ?? [];
    const found = [first, ...more].flatMap(({ where }) => where.slice(0, 1));
    return [{ ...first, where: distinctPlaces(...found.slice(0, maxPlaces), use.where) }];
  });
}

const maxPlaces = 3;

/** Drops the errors after a syntax error in each file, because they usually follow from it. */
function firstErrorPerFile(errors: readonly CueProblem[]): readonly CueProblem[] {
  const isSyntax = ({ message }: CueProblem) => /^(expected|missing|string literal)/.test(message);
  const seen = new Set<string>();
  return errors.filter((error) => {
    const file = error.positions[0]?.file ?? "";
    const first = !seen.has(file);
    if (isSyntax(error)) seen.add(file);
    return first;
  });
}

/** Explains an error in a module file. It affects every use of the module. */
function moduleProblem(
  { message, positions }: CueProblem,
  use: DesignPatternUse,
): Problem | undefined {
  const twice = /^two modules have the path ([^,]+),/.exec(message)?.[1];
  if (twice !== undefined) {
    return {
      code: "duplicate-name",
      where: distinctPlaces(...positions, use.where),
      what: `Module name "${twice}" is used twice`,
      why: "An import of this name is ambiguous",
      fix: `Keep one of the modules in \`modules\` in ${use.where.file}`,
      otherwise: ["rename one of them in its cue.mod/module.cue"],
    };
  }
  const missing = /^(.*cue\.mod\/module\.cue): no such file$/.exec(message)?.[1];
  if (missing !== undefined) {
    return {
      code: "module-file-missing",
      where: [{ file: missing, line: 1, column: 1 }],
      what: `"${missing}" doesn't exist`,
      why: "Without this file, the module has no name",
      fix: 'Create it with module: "acme.example/adapters" and, below it, language: version: "v0.12.0"',
    };
  }
  const [first] = positions;
  if (first === undefined || !/(^|\/)cue\.mod\/module\.cue$/.test(first.file)) return undefined;
  const code = "invalid-module-file";
  const fallback = { code, fact: "can't be read", fix: "Correct the module file" } as const;
  return {
    ...explainProblem({ message }, { name: `"${first.file}"` }, fallback),
    code,
    where: distinctPlaces(...positions),
  };
}

function notFoundProblem(
  { message }: CueProblem,
  use: DesignPatternUse,
  cue: Cue,
): Problem | undefined {
  const [, name] = /^cannot find package "([^"]*)"/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const where = [use.where];
  const others = /, which contains (.*)$/.exec(message)?.[1]?.split(", ") ?? [];
  const what = `Adapter "${use.pattern}" doesn't exist in the modules`;
  const path = use.pattern.replace(/:\w+$/, "");
  if (others.length > 0) {
    const candidates = others.map((other) => withPackage(path, other));
    return {
      code: "unknown-pattern",
      where,
      what,
      fix: `Did you mean ${candidates.map((each) => `"${each}"`).join(" or ")}?`,
    };
  }
  if (message.endsWith("no package clause")) {
    const fix = `Begin its CUE files with \`package ${name}\``;
    return {
      code: "unknown-pattern",
      where,
      what: `The files of "${use.pattern}" have no package clause`,
      fix,
    };
  }
  return { code: "unknown-pattern", where, what, ...suggestAdapter(use.pattern, cue) };
}

function withPackage(path: string, name: string): string {
  return path.endsWith(`/${name}`) ? path : `${path}:${name}`;
}

/**
 * Reports whether a package has `#DesignPattern`. A definition isn't a regular field, so a lookup
 * of `DesignPattern` doesn't find it.
 */
export function hasDefinitionPattern(pattern: string, cue: Cue): boolean {
  return cue.packages().some((each) => each.importPath === pattern && each.isDefinition);
}

/** A longer list is less helpful than the module itself. */
const maxListed = 5;

/** Suggests the adapter with the nearest name, the adapters in that directory, or all adapters. */
export function suggestAdapter(pattern: string, cue: Cue): Pick<Problem, "facts" | "fix"> {
  const all = cue
    .packages()
    .filter(({ isAdapter }) => isAdapter)
    .map((each) => each.importPath);
  const meant = closest(pattern, all);
  if (meant !== undefined && isSimilarPath(meant, pattern)) {
    return { fix: `Did you mean "${meant}"?` };
  }
  const below = all.filter((each) => each.startsWith(`${pattern.replace(/:\w+$/, "")}/`));
  const listed = below.length > 0 ? below : all;
  if (listed.length === 0) {
    return {
      facts: [{ label: "adapters", value: "none in the modules" }],
      fix: "Add a package with a DesignPattern to a module",
    };
  }
  const shown = listed.slice(0, maxListed).join(", ");
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : "";
  return {
    facts: [{ label: "adapters", value: `${shown}${more}` }],
    fix: below.length > 0 ? "Name an adapter below this path" : "Name an adapter of the modules",
  };
}

/**
 * Reports whether two paths are similar. It compares the names one by one, because long paths are
 * similar through their common part.
 */
function isSimilarPath(a: string, b: string): boolean {
  const [one, other] = [a.split(/[/:]/), b.split(/[/:]/)];
  if (one.length !== other.length) return false;
  return one.every((name, index) => closest(name, [other[index] ?? ""]) !== undefined);
}

function sourceProblem(error: CueProblem, use: DesignPatternUse, cue: Cue): Problem {
  const where: Position[] = distinctPlaces(...error.positions, use.where);
  const imported = /^(?:import failed: )+cannot find package "([^"]*)"/.exec(error.message)?.[1];
  if (imported !== undefined) {
    const meant = closest(
      imported,
      cue.packages().map((each) => each.importPath),
    );
    const isMisspelled =
      meant !== undefined && meant !== imported && isSimilarPath(meant, imported);
    return {
      code: "module-not-declared",
      where,
      what: `Adapter "${use.pattern}": import "${imported}" isn't in any module`,
      ...(isMisspelled
        ? { fix: `Did you mean "${meant}"?` }
        : importFixes(error.message, use.where.file)),
    };
  }
  const fallback = { fact: "can't be loaded", fix: "Correct the CUE source" };
  const subject = { name: `Adapter "${use.pattern}"` };
  return { ...explainProblem(error, subject, { code: "invalid-cue", ...fallback }), where };
}

/** The wording of the engine's loader (`notFound` there). */
const dependencyPattern = /; (\S+) depends on (\S+?)(@v\d+)? (v\S+)$/;

/**
 * Returns the fixes for an import that no module contains. For a dependency of a module, the first
 * one contains the entry to add to the config: qvs fetches only modules that the config names.
 */
function importFixes(text: string, config: string): Fixes {
  const [, from, dependency, major = "", version] = dependencyPattern.exec(text) ?? [];
  if (dependency === undefined || version === undefined) {
    return {
      fix: `Add the module that contains it to \`modules\` in ${config}`,
      otherwise: ["vendor it below cue.mod of the module that imports it"],
    };
  }
  const entry = `{name: ${dependency}${major}, remote: {repo: …, revision: ${version}}}`;
  return { fix: `Add the dependency of ${from} to \`modules\` in ${config}: ${entry}` };
}
