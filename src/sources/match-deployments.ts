import { minimatch } from "minimatch";
import { type Deployment, isNamePattern } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { suggestClosest, summarizeList } from "../model/text/suggest.ts";

/** Returns the patterns that match none of the deployments. */
export function unmatchedPatterns(
  all: readonly Deployment[],
  patterns: readonly string[],
): readonly string[] {
  return patterns.filter((pattern) => !all.some(({ name }) => matches(name, pattern)));
}

/**
 * Returns the deployments that any of the names and glob patterns matches, in the order of `all`.
 * No pattern selects all of them. Throws a UserError for each pattern without a match, because a
 * mistyped one would silently skip deployments.
 */
export function matchDeployments(
  all: readonly Deployment[],
  patterns: readonly string[],
): readonly Deployment[] {
  const problems = unmatchedPatterns(all, patterns).map((each) => noMatchProblem(each, all));
  if (problems.length > 0) throw new UserError(problems);
  return all.filter(
    ({ name }) => patterns.length === 0 || patterns.some((pattern) => matches(name, pattern)),
  );
}

function matches(name: string, pattern: string): boolean {
  return name === pattern || minimatch(name, pattern, { nonegate: true, nocomment: true });
}

/** The most names that a fix lists. */
const maxNames = 20;

function noMatchProblem(pattern: string, all: readonly Deployment[]): Problem {
  const names = all.map(({ name }) => name);
  const isName = !isNamePattern(pattern);
  const candidates = isName ? names : [...names, ...new Set(names.flatMap(similarPatterns))];
  const choice = `Choose from these: ${summarizeList(names.toSorted(), maxNames)}`;
  return {
    code: "unknown-deployment",
    where: [],
    what: isName
      ? `Deployment "${pattern}" doesn't exist`
      : `Pattern "${pattern}" matches no deployment`,
    ...suggestClosest(pattern, candidates, choice),
  };
}

/** Returns patterns for the words of a name: `shop-*`, `shop-web-*`, `*-web-eu` and `*-eu`. */
function similarPatterns(name: string): readonly string[] {
  const words = name.split("-");
  const cuts = words.slice(1).map((_, index) => index + 1);
  return cuts.flatMap((cut) => [
    `${words.slice(0, cut).join("-")}-*`,
    `*-${words.slice(cut).join("-")}`,
  ]);
}
