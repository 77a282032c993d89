/**
 * The route of a path through links. All paths are relative to the root, without `.` and empty
 * names.
 */
export interface LinkRoute {
  /** All links on the route, in order. */
  readonly links: readonly string[];
  /** The end of the route; undefined if it is outside the root, or if the links form a cycle. */
  readonly end: string | undefined;
}

/** The maximum number of links. Linux follows as many. */
const maxLinks = 40;

/** Follows `path`. `readLink` returns the target of a path that is a link. */
export function followLinks(
  path: string,
  readLink: (path: string) => string | undefined,
): LinkRoute {
  const links: string[] = [];
  const behind: string[] = [];
  let ahead = path.split("/");
  while (ahead.length > 0) {
    const [name = "", ...rest] = ahead;
    ahead = rest;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (behind.pop() === undefined) return { links, end: undefined };
      continue;
    }
    const here = [...behind, name].join("/");
    const target = readLink(here);
    if (target === undefined) {
      behind.push(name);
      continue;
    }
    links.push(here);
    if (target.startsWith("/") || links.length > maxLinks) return { links, end: undefined };
    ahead = [...target.split("/"), ...rest];
  }
  return { links, end: behind.join("/") };
}

/**
 * Returns `path`, the links on its route, and the end of the route. A change of any of them changes
 * the content that qvs reads at `path`.
 */
export function routePaths(path: string, { links, end }: LinkRoute): readonly string[] {
  return [...new Set([path, ...links, ...(end === undefined ? [] : [end])])];
}
