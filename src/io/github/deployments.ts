import type { JsonObject } from "../../model/json.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";

/** What GitHub shows of a deployment on the page of an environment (docs.github.com/rest/deployments). */
export interface NewDeployment {
  readonly ref: string;
  readonly environment: string;
  readonly description: string;
  readonly payload: JsonObject;
}

export interface DeploymentStatus {
  readonly state: "in_progress" | "success" | "failure" | "error" | "inactive";
  readonly description: string;
  readonly logUrl: string | undefined;
  readonly environmentUrl?: string | undefined;
}

export interface GitHubDeployments {
  /** Its id. */
  create(deployment: NewDeployment): Promise<number>;
  setStatus(id: number, status: DeploymentStatus): Promise<void>;
  /** The newest ones of an environment, newest first. */
  list(environment: string): Promise<readonly ListedDeployment[]>;
  /** Of its newest status; undefined where it has none. */
  stateOf(id: number): Promise<string | undefined>;
}

export interface ListedDeployment {
  readonly id: number;
  readonly payload: unknown;
}

/** GitHub refuses longer ones. */
const longestDescription = 140;
const mostListed = 30;

export function deploymentsOf(
  { rest: { repos } }: Pick<GitHubClient, "rest">,
  repository: RepositoryName,
): GitHubDeployments {
  return {
    async create({ ref, environment, description, payload }) {
      const { data } = await repos.createDeployment({
        ...repository,
        ref,
        environment,
        payload,
        description: description.slice(0, longestDescription),
        // What is deployed is the commit as it is, whatever its checks say: the workflow has decided that.
        auto_merge: false,
        required_contexts: [],
      });
      if (!("id" in data)) throw new Error(data.message ?? "GitHub has made no deployment");
      return data.id;
    },
    async setStatus(id, { state, description, logUrl, environmentUrl }) {
      await repos.createDeploymentStatus({
        ...repository,
        deployment_id: id,
        state,
        description: description.slice(0, longestDescription),
        // GitHub's own way would end those of other applications of the environment, too.
        auto_inactive: false,
        ...(logUrl === undefined ? {} : { log_url: logUrl }),
        ...(environmentUrl === undefined ? {} : { environment_url: environmentUrl }),
      });
    },
    async list(environment) {
      const asked = { ...repository, environment, per_page: mostListed };
      const { data } = await repos.listDeployments(asked);
      return data.map(({ id, payload }) => ({ id, payload }));
    },
    async stateOf(id) {
      const asked = { ...repository, deployment_id: id, per_page: 1 };
      const { data } = await repos.listDeploymentStatuses(asked);
      return data[0]?.state;
    },
  };
}
