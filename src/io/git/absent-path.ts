import {
  brokenLinkProblem,
  linkCycleProblem,
  submoduleProblem,
} from "../../model/problems/file-problems.ts";
import type { UnplacedProblem } from "../../model/problems/problem.ts";
import { followLinks } from "./follow-links.ts";
import type { SubmoduleLookup } from "./submodules.ts";

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
