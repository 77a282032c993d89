/** As the loader of the engine says it (`notFound` there). */
const message = /; (\S+) depends on (\S+?)(@v\d+)? (v\S+)$/;

/** What to add to the QVS config for a module that another one depends on: only modules that are named there are fetched. */
export function dependencyCure(said: string, config: string): string | undefined {
  const [, from, dependency, major = "", version] = message.exec(said) ?? [];
  if (dependency === undefined || version === undefined) return undefined;
  return `Add the module that ${from} depends on to \`modules\` in ${config}: {name: ${dependency}${major}, remote: {repo: …, revision: ${version}}}`;
}
