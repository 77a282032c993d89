import type { SilenceBudget } from "../io/github/bounded-fetch.ts";
import { createClient, type GitHubClient, type RepositoryName } from "../io/github/client.ts";
import { logLines } from "../io/github/log.ts";
import type { OpenWorld } from "../ports/world.ts";
import type { SentSecrets } from "../redaction/sent-secrets.ts";
import type { Inputs } from "./inputs/inputs.ts";

/** The environment of a run of the Action. */
export interface RunContext {
  readonly env: NodeJS.ProcessEnv;
  /** Collects the credentials that the run sends. */
  readonly sent: SentSecrets;
  readonly runUrl: string | undefined;
  readonly repository: RepositoryName;
  /** The commit in GITHUB_SHA. */
  readonly commit: string;
  /** Aborted when a user cancels the run. */
  readonly signal: AbortSignal;
  /** Limits the total time that the run waits for an unresponsive GitHub. */
  readonly silence?: SilenceBudget | undefined;
}

/** The parts that every GitHub client of a run shares. */
export type GitHubAccess = Pick<RunContext, "env" | "signal" | "sent" | "silence">;

/** The context of a run with a checkout and a cluster. */
export interface ActionContext extends RunContext {
  readonly world: OpenWorld;
}

/** Returns the address of the repository on GitHub; undefined outside of GitHub. */
export function readRepositoryUrl({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }: NodeJS.ProcessEnv) {
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return undefined;
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

/** Reports whether a setting names a cluster. */
export function hasCluster({ env }: ActionContext, { kubeconfig, server }: Inputs): boolean {
  return kubeconfig !== undefined || server !== undefined || Boolean(env.KUBECONFIG);
}

/**
 * Creates a client for GitHub's API, which stops when a user cancels the run. Returns undefined
 * without a token, which isn't an error.
 */
export function openGitHubClient(
  { env, signal, sent, silence }: GitHubAccess,
  { token }: Pick<Inputs, "token">,
): GitHubClient | undefined {
  if (token === "") return undefined;
  const apiUrl = env.GITHUB_API_URL ?? "https://api.github.com";
  return createClient({ token, apiUrl, warn: logLines, signal, sent, silence });
}
