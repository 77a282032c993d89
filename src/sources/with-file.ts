import type { SourceTree } from "../ports/git.ts";
import type { ConfigSource } from "../ports/world.ts";

/** Returns the source with another content of one file, as if it was already written. */
export function withFile(source: ConfigSource, file: string, text: string): ConfigSource {
  const { tree } = source;
  const changed: SourceTree = {
    read: async (path) => (path === file ? text : tree.read(path)),
    readBytes: async (path) => (path === file ? Buffer.from(text) : tree.readBytes(path)),
    list: async (endings) => {
      const paths = await tree.list(endings);
      const isListed = endings.some((ending) => file.endsWith(ending));
      return isListed ? [...new Set([...paths, file])].sort() : paths;
    },
    folder: (path) => tree.folder(path),
    linkedPaths: (path) => tree.linkedPaths(path),
    omitted: () => tree.omitted(),
  };
  return { ...source, tree: changed };
}
