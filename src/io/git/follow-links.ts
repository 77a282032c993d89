/** The way that a path takes through links. All paths are relative to the root, without "." and empty names. */
export interface Way {
  /** Every link on it, in order. */
  readonly links: readonly string[];
  /** Where it ends; undefined when that is outside of the root, or when the links go round in a circle. */
  readonly end: string | undefined;
}

/** As many as Linux follows. */
const maxLinks = 40;

/** Follows `path`; `readLink` answers the target of a path that is a link. */
export function followLinks(path: string, readLink: (path: string) => string | undefined): Way {
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

/** `path`, the links on its way and where it ends: a change of any of them changes what is read there. */
export function pathsOfWay(path: string, { links, end }: Way): readonly string[] {
  return [...new Set([path, ...links, ...(end === undefined ? [] : [end])])];
}
