import type { Compilation } from "../../model/compilation.ts";

/** A module of adapters that the two commits take from different revisions. */
export interface ChangedModule {
  readonly name: string;
  /** undefined where the module is new. */
  readonly before?: string | undefined;
  /** undefined where it is used no more. */
  readonly after?: string | undefined;
}

/** By the files that were read, so of modules that are used; a branch that has moved on has the same name at both commits. */
export function changedModules(
  base: Compilation | undefined,
  head: Compilation | undefined,
): readonly ChangedModule[] {
  if (base === undefined || head === undefined) return [];
  const [old, now] = [revisionsIn(base), revisionsIn(head)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .map((name) => ({ name, before: old.get(name), after: now.get(name) }))
    .filter(({ before, after }) => before !== after);
}

/** Files outside the repository are `module@revision/path`. */
function revisionsIn({ inputs }: Compilation): ReadonlyMap<string, string> {
  return new Map(
    inputs.flatMap((file) => {
      const [, name, revision] = /^([^@]+)@([^/]+)\//.exec(file) ?? [];
      return name === undefined || revision === undefined ? [] : [[name, revision] as const];
    }),
  );
}
