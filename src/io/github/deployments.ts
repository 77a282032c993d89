import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../model/json.ts";
import type { RepositoryName, RestClient } from "./client.ts";
import { createsOnce } from "./find-before-retry.ts";

/**
 * A GitHub deployment, as the page of an environment shows it (docs.github.com/rest/deployments).
 */
export interface NewDeployment {
  readonly ref: string;
  readonly environment: string;
  /**
   * The name of the task. An environment can have many deployments, and GitHub lists those of one
   * task (docs.github.com/en/rest/deployments/deployments#list-deployments).
   */
  readonly task: string;
  readonly description: string;
  readonly payload: JsonObject;
  /** True if the environment will be deleted, as that of a pull request. */
  readonly isTransient?: boolean;
}

export interface DeploymentStatus {
  readonly state: "in_progress" | "success" | "failure" | "error" | "inactive";
  readonly description: string;
  readonly logUrl: string | undefined;
  readonly environmentUrl?: string | undefined;
}

export interface GitHubDeployments {
  /**
   * Creates a GitHub deployment and returns its id. The payload must differ from that of every
   * other deployment of its task and environment.
   */
  create(deployment: NewDeployment): Promise<number>;
  setStatus(id: number, status: DeploymentStatus): Promise<void>;
  /** Returns the newest GitHub deployments of a task in an environment, newest first. */
  list(environment: string, task: string): Promise<readonly ListedDeployment[]>;
  /** Returns the state of the newest status; undefined if the GitHub deployment has no status. */
  stateOf(id: number): Promise<string | undefined>;
}

export interface ListedDeployment {
  readonly id: number;
  readonly payload: Json;
}

/** The maximum length of a description. GitHub rejects a longer one. */
const longestDescription = 140;
const maxListed = 30;

export function openDeployments(
  { rest: { repos } }: RestClient,
  repository: RepositoryName,
): GitHubDeployments {
  const list: GitHubDeployments["list"] = async (environment, task) => {
    const asked = { ...repository, environment, task, per_page: maxListed };
    const { data } = await repos.listDeployments(asked);
    return data.map(({ id, payload }) => ({ id, payload: parsePayload(payload) }));
  };
  const stateOf: GitHubDeployments["stateOf"] = async (id) => {
    const asked = { ...repository, deployment_id: id, per_page: 1 };
    const { data } = await repos.listDeploymentStatuses(asked);
    return data[0]?.state;
  };
  return {
    list,
    stateOf,
    async create({ ref, environment, task, description, payload, isTransient }) {
      const find = async () => {
        const same = (await list(environment, task)).find((each) =>
          isDeepStrictEqual(each.payload, payload),
        );
        return same !== undefined && (await stateOf(same.id)) === undefined ? same : undefined;
      };
      const { data } = await repos.createDeployment({
        ...repository,
        ref,
        environment,
        task,
        payload,
        description: description.slice(0, longestDescription),
        // Deploys the commit as it is, regardless of its checks. The workflow has decided that.
        auto_merge: false,
        required_contexts: [],
        ...(isTransient === true ? { transient_environment: true } : {}),
        ...createsOnce(find),
      });
      if (!("id" in data)) throw new Error(data.message ?? "GitHub created no deployment");
      return data.id;
    },
    async setStatus(id, { state, description, logUrl, environmentUrl }) {
      await repos.createDeploymentStatus({
        ...repository,
        deployment_id: id,
        state,
        description: description.slice(0, longestDescription),
        // With `auto_inactive`, GitHub would also end the deployments of other applications in the
        // environment.
        auto_inactive: false,
        ...(logUrl === undefined ? {} : { log_url: logUrl }),
        ...(environmentUrl === undefined ? {} : { environment_url: environmentUrl }),
      });
    },
  };
}

/** Returns a payload as qvs sent it. GitHub returns it unchanged, or as a string. */
function parsePayload(payload: unknown): Json {
  if (typeof payload !== "string") return (payload ?? null) as Json;
  try {
    return JSON.parse(payload) as Json;
  } catch {
    return payload;
  }
}
