import {
  brokenLinkProblem,
  directoryLinkProblem,
  linkCycleProblem,
  submoduleProblem,
} from "../../model/problems/file-problems.ts";
import type { UnplacedProblem } from "../../model/problems/problem.ts";
import type { OmittedPath } from "../../ports/git.ts";
import { followLinks, type LinkRoute } from "./follow-links.ts";
import type { CommitListing } from "./repository.ts";
import { outsideLinkProblem } from "./safe-path.ts";
import { commitSubmodules, type SubmoduleLookup } from "./submodules.ts";

/** Follows the links of a commit. */
export function follow(path: string, { links }: CommitListing): LinkRoute {
  return followLinks(path, (link) => links.get(link));
}

/** Returns the links that don't lead to a file. */
export function omittedLinks(all: CommitListing): readonly OmittedPath[] {
  if (all.links.size === 0) return [];
  const files = new Set(all.entries.map(({ path }) => path));
  const directories = new Set(all.entries.flatMap(({ path }) => parentsOf(path)));
  return [...all.links.keys()].flatMap((path): readonly OmittedPath[] => {
    const { end } = follow(path, all);
    if (end !== undefined && files.has(end)) return [];
    if (end !== undefined && directories.has(end))
      return [{ path, problem: directoryLinkProblem(path), directory: end }];
    const problem = linkProblem(path, all);
    return problem === undefined ? [] : [{ path, problem }];
  });
}

/** Returns the directories on a path; "" is the root. */
function parentsOf(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, count) => names.slice(0, count).join("/"));
}

/** Returns the error for a link to nothing or into a submodule. */
export function absenceProblem(path: string, all: CommitListing): UnplacedProblem | undefined {
  const { entries, links, submodules } = all;
  const resolves = (link: string) => {
    const { links: route, end } = follow(link, all);
    // A link that leads outside is no link to nothing.
    if (end === undefined) return new Set(route).size === route.length;
    return entries.some((entry) => entry.path === end || entry.path.startsWith(`${end}/`));
  };
  const submoduleOf = commitSubmodules(submodules);
  return explainAbsence(path, { readLink: (link) => links.get(link), resolves, submoduleOf });
}

/** Returns the error for a link that leads to nothing, into a submodule or outside. */
export function linkProblem(path: string, all: CommitListing): UnplacedProblem | undefined {
  const absence = absenceProblem(path, all);
  return absence ?? (follow(path, all).end === undefined ? outsideLinkProblem(path) : undefined);
}

/** The facts of a tree that explain why a path has no content. */
interface TreeFacts {
  /** Returns the target of a link; undefined for any other path. */
  readLink(path: string): string | undefined;
  /** Reports whether a link leads to a file or a directory. */
  resolves(link: string): boolean;
  readonly submoduleOf: SubmoduleLookup;
}

/**
 * Explains why a path has no content. Undefined if nothing exists there, or if it is a directory:
 * only the caller knows whether that is an error. A link to nothing is always one. If qvs treated
 * its file as empty, the plan would delete its objects.
 */
export function explainAbsence(
  path: string,
  { readLink, resolves, submoduleOf }: TreeFacts,
): UnplacedProblem | undefined {
  const { links, end } = followLinks(path, readLink);
  const submodule = submoduleOf(end ?? path);
  if (submodule !== undefined) return submoduleProblem(submodule);
  const last = links.at(-1);
  if (last === undefined || resolves(last)) return undefined;
  if (new Set(links).size < links.length) return linkCycleProblem(path);
  return brokenLinkProblem(links.includes(path) ? path : last, links.map(readLink).join(" -> "));
}
