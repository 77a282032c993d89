import type { DesignPatternUse } from "../../model/config.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { closest } from "../../model/text/closest.ts";
import type { Cue, CueProblem } from "../../ports/cue.ts";
import { places } from "../places.ts";
import { explainMessage } from "./cue-words.ts";

/**
 * Explains why the package of a designPattern can't be loaded: it doesn't exist, or a module or its
 * CUE is broken.
 */
export function loadProblems(
  errors: readonly CueProblem[],
  use: DesignPatternUse,
  cue: Cue,
): readonly Problem[] {
  const problems = firstOfEachFile(errors).map(
    (error) =>
      moduleProblem(error, use) ?? notFound(error, use, cue) ?? sourceProblem(error, use, cue),
  );
  return saidOnce(problems, use);
}

/**
 * Merges equal problems into one, with the first few places. A name that is misspelled in its
 * declaration is missing in every use.
 */
function saidOnce(problems: readonly Problem[], use: DesignPatternUse): readonly Problem[] {
  const same = Map.groupBy(problems, ({ what, fix }) => JSON.stringify([what, fix]));
  return [...same.values()].flatMap(([first, ...more]) => {
    if (first === undefined || more.length === 0) return first ?? [];
    const found = [first, ...more].flatMap(({ where }) => where.slice(0, 1));
    return [{ ...first, where: places(...found.slice(0, mostPlaces), use.where) }];
  });
}

const mostPlaces = 3;

/** Drops the errors after a syntax error in each file, because they usually follow from it. */
function firstOfEachFile(errors: readonly CueProblem[]): readonly CueProblem[] {
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
  if (message.startsWith("two modules are called ")) {
    const fix = `Keep one of them in \`modules\` in ${use.where.file}, or rename one in its cue.mod/module.cue`;
    return { code: "duplicate-name", where: places(...positions, use.where), what: message, fix };
  }
  const missing = /^(.*cue\.mod\/module\.cue): no such file$/.exec(message)?.[1];
  if (missing !== undefined) {
    return {
      code: "module-file-missing",
      where: [{ file: missing, line: 1, column: 1 }],
      what: "This file is missing, so the module has no name",
      fix: 'Create it: module: "acme.example/adapters", and below it language: version: "v0.12.0"',
    };
  }
  const [first] = positions;
  if (first === undefined || !/(^|\/)cue\.mod\/module\.cue$/.test(first.file)) return undefined;
  const said = explainMessage(message);
  return {
    code: "invalid-module-file",
    where: places(...positions),
    what: `The module cannot be read: ${said.what}`,
    fix: said.fix ?? moduleFix(message),
  };
}

function moduleFix(message: string): string {
  if (/ is newer than /.test(message)) return "Declare an older one, or use a newer qvs";
  if (/is no language version$/.test(message))
    return 'Write one with three numbers, such as "v0.12.0"';
  if (message === "the module has no path") return 'Add module: "acme.example/adapters"';
  return "Correct the module file";
}

function notFound({ message }: CueProblem, use: DesignPatternUse, cue: Cue): Problem | undefined {
  const [, name] = /^cannot find package "([^"]*)"/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const where = [use.where];
  const others = /, which holds (.*)$/.exec(message)?.[1]?.split(", ") ?? [];
  const what = `There is no adapter "${use.pattern}" in the modules`;
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
      what: `The files of "${use.pattern}" belong to no package`,
      fix,
    };
  }
  return { code: "unknown-pattern", where, what, fix: suggestAdapter(use.pattern, cue) };
}

function withPackage(path: string, name: string): string {
  return path.endsWith(`/${name}`) ? path : `${path}:${name}`;
}

/**
 * Reports whether a package has `#DesignPattern`. A definition isn't a regular field, so a lookup
 * of `DesignPattern` doesn't find it.
 */
export function isDefinition(pattern: string, cue: Cue): boolean {
  return cue.packages().some((each) => each.importPath === pattern && each.isDefinition);
}

/** A longer list is less helpful than the module itself. */
const maxListed = 5;

/** Suggests the adapter with the nearest name, the adapters in that directory, or all adapters. */
export function suggestAdapter(pattern: string, cue: Cue): string {
  const all = cue
    .packages()
    .filter(({ isAdapter }) => isAdapter)
    .map((each) => each.importPath);
  const meant = closest(pattern, all);
  if (meant !== undefined && isNear(meant, pattern)) return `Did you mean "${meant}"?`;
  const below = all.filter((each) => each.startsWith(`${pattern.replace(/:\w+$/, "")}/`));
  const listed = below.length > 0 ? below : all;
  if (listed.length === 0) return "The modules have no adapter: a package with a DesignPattern";
  const shown = listed.slice(0, maxListed).join(", ");
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : "";
  return `${below.length > 0 ? "Below it there are" : "There are"} ${shown}${more}`;
}

/**
 * Reports whether two paths are similar. It compares the names one by one, because long paths are
 * similar through their common part.
 */
function isNear(a: string, b: string): boolean {
  const [one, other] = [a.split(/[/:]/), b.split(/[/:]/)];
  if (one.length !== other.length) return false;
  return one.every((name, index) => closest(name, [other[index] ?? ""]) !== undefined);
}

function sourceProblem(error: CueProblem, use: DesignPatternUse, cue: Cue): Problem {
  const where: Position[] = places(...error.positions, use.where);
  const imported = /^(?:import failed: )+cannot find package "([^"]*)"/.exec(error.message)?.[1];
  if (imported !== undefined) {
    const meant = closest(
      imported,
      cue.packages().map((each) => each.importPath),
    );
    const what = `The adapter "${use.pattern}" cannot be loaded: it imports "${imported}", which no module provides`;
    const isMisspelt = meant !== undefined && meant !== imported && isNear(meant, imported);
    const fix = isMisspelt
      ? `Did you mean "${meant}"?`
      : (dependencyFix(error.message, use.where.file) ??
        `Add the module that holds it to \`modules\` in ${use.where.file}, or vendor it below cue.mod of the module that imports it`);
    return { code: "module-not-declared", where, what, fix };
  }
  const said = explainMessage(error.message, error.known);
  return {
    code: said.code ?? "invalid-cue",
    where,
    what: `The adapter "${use.pattern}" cannot be loaded: ${said.what}`,
    fix: said.fix ?? "Correct the CUE source",
  };
}

/** The wording of the engine's loader (`notFound` there). */
const message = /; (\S+) depends on (\S+?)(@v\d+)? (v\S+)$/;

/**
 * Describes the entry to add to the config for a dependency of a module. qvs fetches only modules
 * that the config names.
 */
function dependencyFix(said: string, config: string): string | undefined {
  const [, from, dependency, major = "", version] = message.exec(said) ?? [];
  if (dependency === undefined || version === undefined) return undefined;
  return `Add the module that ${from} depends on to \`modules\` in ${config}: {name: ${dependency}${major}, remote: {repo: …, revision: ${version}}}`;
}
