import { createClient, type GitHubClient, type RepositoryName } from "../io/github/client.ts";
import { logLines } from "../io/github/log.ts";
import type { SilenceBudget } from "../io/github/silence.ts";
import type { OpenWorld } from "../ports/world.ts";
import type { SentSecrets } from "../redaction/sent-secrets.ts";
import type { Inputs } from "./inputs/inputs.ts";

/** Where the Action runs. */
export interface RunContext {
  readonly env: NodeJS.ProcessEnv;
  /** Collects the credentials that the run sends. */
  readonly sent: SentSecrets;
  readonly runUrl: string | undefined;
  readonly repository: RepositoryName;
  /** GITHUB_SHA. */
  readonly commit: string;
  /** Aborted when somebody cancels the run. */
  readonly signal: AbortSignal;
  /** Limits how long the run waits in all for a GitHub that does not answer. */
  readonly silence?: SilenceBudget | undefined;
}

/** Contains what every client of a run shares. */
export type ToAskGitHub = Pick<RunContext, "env" | "signal" | "sent" | "silence">;

/** With what is checked out, and a cluster. */
export interface ActionContext extends RunContext {
  readonly world: OpenWorld;
}

/** Where people read the files of the pull request; undefined outside of GitHub. */
export function repositoryUrlIn({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }: NodeJS.ProcessEnv) {
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return undefined;
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

/** Whether any setting names a cluster. */
export function hasCluster({ env }: ActionContext, { kubeconfig, server }: Inputs): boolean {
  return kubeconfig !== undefined || server !== undefined || Boolean(env.KUBECONFIG);
}

/** GitHub's API, asked until somebody cancels the run; undefined without a token, which is no reason to fail. */
export function clientFor(
  { env, signal, sent, silence }: ToAskGitHub,
  { token }: Pick<Inputs, "token">,
): GitHubClient | undefined {
  if (token === "") return undefined;
  const apiUrl = env.GITHUB_API_URL ?? "https://api.github.com";
  return createClient({ token, apiUrl, warn: logLines, signal, sent, silence });
}
