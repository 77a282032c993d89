import { answerText, explainRefusal, type GitHubRefusal } from "../io/github/explain-refusal.ts";
import type { Problem } from "../model/problems/problem.ts";

/** Returns the reason for GitHub's refusal, its answer or the network's error, and the fix. */
export function githubProblem(
  error: unknown,
  permissions: string,
): Pick<Problem, "why" | "facts" | "fix"> {
  const { why, fix } = explainRefusal(error, permissions);
  const answer = answerText(error);
  const facts = answer === undefined ? [] : [{ label: "error", value: answer }];
  return { why: sentence(why), facts, fix };
}

/** Returns the explanation for an action without a token. The job needs the permissions. */
export function emptyToken(permissions: string): GitHubRefusal {
  return {
    why: "The input token is empty",
    fix: `Remove the input token to use the job's own, and give the job \`permissions: ${permissions}\``,
  };
}

/** Returns a part of a sentence as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
