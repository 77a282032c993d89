import { dependabotLogin } from "../../io/github/event.ts";
import type { PullRequestFacts } from "../../io/github/pull-request-facts.ts";
import type { PreviewTemplate } from "../../model/preview-environment.ts";

/** The decision about the environment of a pull request. The reason completes a sentence. */
export type EnvironmentDecision =
  | { readonly type: "wanted" }
  /** An environment that exists is deleted. */
  | { readonly type: "unwanted"; readonly because: string }
  /** The pull request can never have an environment. */
  | { readonly type: "never"; readonly because: string };

/** Decides for a whole pull request; undefined if the entries decide. */
export function refusePullRequest(facts: PullRequestFacts): EnvironmentDecision | undefined {
  if (!facts.isSameRepository)
    return { type: "never", because: "pull requests from forks get no environment" };
  if (facts.author === dependabotLogin)
    return { type: "never", because: "pull requests of Dependabot get no environment" };
  return undefined;
}

/**
 * Decides whether a pull request has an environment of an entry.
 * Only branches that qvs deploys decide about environments. Anyone who can push could otherwise
 * create a branch with another list, and open a pull request into it.
 */
export function decideEnvironment(
  facts: PullRequestFacts,
  { when, label }: Pick<PreviewTemplate, "when" | "label">,
  branches: readonly string[],
): EnvironmentDecision {
  const refused = refusePullRequest(facts);
  if (refused !== undefined) return refused;
  if (!facts.isOpen) return { type: "unwanted", because: "it is closed" };
  if (!branches.includes(facts.baseBranch))
    return { type: "unwanted", because: `its base branch ${facts.baseBranch} isn't deployed` };
  if (when === "label" && !facts.labels.includes(label))
    return { type: "unwanted", because: `it has no label ${label}` };
  return { type: "wanted" };
}
