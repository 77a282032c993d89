import type { Problem } from "../model/problem.ts";
import type { CueProblem } from "../ports.ts";

/** As the loader of the engine says it (`notFound` there). */
const message =
  /^import failed: (?:import failed: )*cannot find package "([^"]+)" in (.+), nor below cue\.mod of one of them(?:; (\S+) depends on (\S+?)(@v\d+)? (v\S+))?/;

/**
 * An import that none of the modules holds, told where it is written and what to add to the QVS config: modules are
 * fetched only when they are named there. undefined for any other problem.
 */
export function missingImport(
  { message: said, positions }: CueProblem,
  { pattern, where }: { readonly pattern: string; readonly where: Problem["where"][number] },
): Problem | undefined {
  const [, path, modules, from, dependency, major = "", version] = message.exec(said) ?? [];
  if (path === undefined) return undefined;
  const what = `The adapter "${pattern}" needs "${path}", which is imported here, but none of the modules has it: ${modules}`;
  if (dependency === undefined || version === undefined) {
    const fix = `Add the module that holds it to \`modules\` in ${where.file}, or vendor it below cue.mod of the module that imports it`;
    return { where: [...positions, where], what, fix };
  }
  const fix = `Add the module that ${from} depends on to \`modules\` in ${where.file}: {name: ${dependency}${major}, remote: {repo: …, revision: ${version}}}`;
  return { where: [...positions, where], what, fix };
}
