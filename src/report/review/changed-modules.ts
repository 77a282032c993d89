import type { Compilation } from "../../model/compilation.ts";

/** A module whose revision differs between the two commits. */
export interface ChangedModule {
  readonly name: string;
  /** Undefined if the module is new. */
  readonly before?: string | undefined;
  /** Undefined if the module is no longer used. */
  readonly after?: string | undefined;
}

/**
 * Compares the revisions in the input files of both compilations, so only used modules count.
 * A branch has the same name at both commits, even if it has moved.
 */
export function changedModules(
  base: Compilation | undefined,
  head: Compilation | undefined,
): readonly ChangedModule[] {
  if (base === undefined || head === undefined) return [];
  const [old, now] = [moduleRevisions(base), moduleRevisions(head)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .map((name) => ({ name, before: old.get(name), after: now.get(name) }))
    .filter(({ before, after }) => before !== after);
}

/** Reads the revisions. Files outside the repository are `module@revision/path`. */
function moduleRevisions({ inputs }: Compilation): ReadonlyMap<string, string> {
  return new Map(
    inputs.flatMap((file) => {
      const [, name, revision] = /^([^@]+)@([^/]+)\//.exec(file) ?? [];
      return name === undefined || revision === undefined ? [] : [[name, revision] as const];
    }),
  );
}
