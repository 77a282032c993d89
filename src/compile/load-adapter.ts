import { didYouMean } from "../model/closest.ts";
import type { DesignPatternUse } from "../model/config.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problem.ts";
import type { Cue, CueProblem, CueValue, ModuleRoot, SourcedJson } from "../ports.ts";
import { missingImport } from "./missing-import.ts";
import { hiddenParams } from "./quoting.ts";

/** A DesignPattern before its params are bound. */
export interface Adapter {
  /** How it is named in messages: its import path, or where it stands in `composites`. */
  readonly pattern: string;
  readonly value: CueValue;
  readonly params: CueValue | undefined;
  /** Where each param comes from, for adapters that are used by the QVS config itself. */
  readonly sources: Readonly<Record<string, SourcedJson>>;
  /** Names of params whose values no message may quote. */
  readonly hidden: ReadonlySet<string>;
  readonly group: string | undefined;
  /** Who uses it: what it lacks is told to the one who can mend it. */
  readonly usedBy: "config" | "adapter";
  readonly where: Position;
}

/** The adapter that a designPattern of the QVS config names, with its params as CUE values. */
export function loadAdapter(
  use: DesignPatternUse,
  modules: readonly ModuleRoot[],
  cue: Cue,
): Result<Adapter> {
  const unprovided = withoutModule(use, modules);
  if (unprovided !== undefined) return failed([unprovided]);
  const loaded = cue.load(use.pattern);
  if (!loaded.ok) {
    return failed(
      loaded.errors.map((error) => missingImport(error, use) ?? loadProblem(error, use)),
    );
  }
  const value = cue.lookup(loaded.value, ["DesignPattern"]);
  if (value === undefined) return failed([withoutDesignPattern(use)]);
  const sources = Object.fromEntries(
    use.params.map((p) => [p.name, { value: p.value, where: p.where }]),
  );
  const params = use.params.length === 0 ? undefined : cue.struct(sources);
  return ok({
    pattern: use.pattern,
    value,
    params,
    sources,
    hidden: hiddenParams(use),
    group: use.group,
    usedBy: "config",
    where: use.where,
  });
}

function withoutModule(use: DesignPatternUse, modules: readonly ModuleRoot[]): Problem | undefined {
  const path = use.pattern.replace(/:[^:/]*$/, "");
  const known = modules.flatMap((root) => (root.path === undefined ? [] : [root.path]));
  if (known.length < modules.length) return undefined;
  if (known.some((name) => path === name || path.startsWith(`${name}/`))) return undefined;
  const guess = didYouMean(path.split("/").slice(0, -1).join("/"), known);
  return {
    where: [use.where],
    what: `No module provides the pattern "${use.pattern}"${guess}`,
    fix:
      known.length === 0
        ? "Add the adapter's repository to `modules`"
        : `Use a path below one of the modules (${known.join(", ")}), or add the adapter's repository to \`modules\``,
  };
}

function loadProblem({ message, positions }: CueProblem, use: DesignPatternUse): Problem {
  if (message.startsWith("two modules are called ")) {
    const fix = `Keep one of them in \`modules\` in ${use.where.file}, or rename one in its cue.mod/module.cue`;
    return { where: [...positions, use.where], what: message, fix };
  }
  if (!/^cannot find package/.test(message)) {
    const what = `The adapter "${use.pattern}" cannot be loaded: ${message}`;
    return { where: [...positions, use.where], what, fix: "Correct the CUE source" };
  }
  const others = /, which holds (.*)$/.exec(message)?.[1];
  return {
    where: [use.where],
    what: `There is no adapter "${use.pattern}" in the modules`,
    fix:
      others === undefined
        ? "Check the path behind the module's name: it has to lead to a folder with CUE files"
        : `The folder holds the package ${others}: write that behind the colon`,
  };
}

function withoutDesignPattern(use: DesignPatternUse): Problem {
  return {
    where: [use.where],
    what: `The package "${use.pattern}" has no field DesignPattern`,
    fix: "Name a package that is an Infrastructure Adapter, or the right `:package` behind the path",
  };
}
