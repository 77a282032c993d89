import type { SourceTree } from "../ports/git.ts";
import type { ConfigSource } from "../ports/world.ts";

/** Returns the source with lists of files that are read once, for a run that writes no file. */
export function listOnce(source: ConfigSource): ConfigSource {
  const lists = new Map<string, ReturnType<SourceTree["list"]>>();
  const { tree } = source;
  const list: SourceTree["list"] = (endings) => {
    const key = JSON.stringify(endings);
    const known = lists.get(key) ?? tree.list(endings);
    lists.set(key, known);
    return known;
  };
  return { ...source, tree: { ...tree, list } };
}
