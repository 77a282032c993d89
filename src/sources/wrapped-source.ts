import type { SourceTree } from "../ports/git.ts";
import type { ConfigSource } from "../ports/world.ts";

/** Returns the source with another content of one file, as if it was already written. */
export function withFile(source: ConfigSource, file: string, text: string): ConfigSource {
  const { tree } = source;
  const changed: SourceTree = {
    ...tree,
    read: async (path) => (path === file ? text : tree.read(path)),
    readBytes: async (path) => (path === file ? Buffer.from(text) : tree.readBytes(path)),
    list: async (endings) => {
      const paths = await tree.list(endings);
      const isListed = endings.some((ending) => file.endsWith(ending));
      return isListed ? [...new Set([...paths, file])].sort() : paths;
    },
  };
  return { ...source, tree: changed };
}

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
