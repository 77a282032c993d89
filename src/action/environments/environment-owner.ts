import type { EnvironmentList } from "../../commands/environments/delete-environment.ts";
import { deploymentsFile, joinDirectory } from "../../sources/list-deployments.ts";
import type { ActionContext } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";

/** The permission that the state of a pull request needs. */
export const readPermission = "pull-requests: read";

/** Returns the repository and list that own the environments of this run. */
export function environmentOwner(
  { env, repository }: Pick<ActionContext, "env" | "repository">,
  { folder = "" }: Pick<Inputs, "folder">,
  fromEvent: number | undefined,
): EnvironmentList {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY_ID: id = fromEvent } = env;
  const isKnown = server !== undefined && id !== undefined;
  return {
    repository: {
      ...(isKnown ? { id: `${server}/${id}` } : {}),
      path: `${repository.owner}/${repository.repo}`,
    },
    list: joinDirectory(folder, deploymentsFile),
  };
}
