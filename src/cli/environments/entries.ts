import type { EnvironmentList } from "../../commands/environments/delete-environment.ts";
import {
  type PreviewingDeployment,
  previewingDeployments,
} from "../../config/preview/environment-deployment.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { closest, suggest } from "../../model/text/suggest.ts";
import type { World } from "../../ports/world.ts";
import {
  deploymentsFile,
  joinDirectory,
  listDeployments,
  nothingToDeploy,
} from "../../sources/list-deployments.ts";
import type { DeploymentOptions } from "../flags/options.ts";

/** The entries of the list in the working tree, and the owner of their environments. */
export interface ListedEntries {
  readonly entries: readonly Deployment[];
  /** Throws a UserError if the repository is unknown. */
  owner(): Promise<EnvironmentList>;
}

/** Reads the entries. The context of the command line replaces those of all entries. */
export async function readEntries(
  world: World,
  { context, repository }: DeploymentOptions & { readonly repository?: string },
): Promise<ListedEntries> {
  const { source, repositoryName, folder = "" } = world;
  const listed = await listDeployments(source.tree, repositoryName, folder);
  if (!listed.ok) throw new UserError(listed.problems);
  if (listed.value.length === 0) throw nothingToDeploy();
  const entries = listed.value.map((entry) => ({ ...entry, context: context ?? entry.context }));
  return {
    entries,
    owner: async () => {
      const path = repository ?? (await world.repository?.origin());
      if (path === undefined) throw repositoryUnknown();
      return { repository: { path }, list: joinDirectory(folder, deploymentsFile) };
    },
  };
}

function repositoryUnknown(): UserError {
  return userError(
    "repository-unknown",
    "The repository of the environments is unknown",
    "Name it with --repository OWNER/NAME, or add the remote origin",
  );
}

/** Returns the named entry, or the only one with a `preview`. Throws a UserError without one. */
export function requirePreviewing(
  { entries }: ListedEntries,
  name: string | undefined,
): PreviewingDeployment {
  const previewing = previewingDeployments(entries);
  const [only, ...others] = previewing;
  const found = name === undefined ? only : previewing.find((entry) => entry.name === name);
  if (found !== undefined && (name !== undefined || others.length === 0)) return found;
  const names = previewing.map((entry) => entry.name);
  if (only === undefined || (name !== undefined && entries.some((entry) => entry.name === name)))
    throw userError(
      "unknown-deployment",
      name === undefined ? "No deployment has environments" : `"${name}" has no environments`,
      `Add "preview" to its entry in ${deploymentsFile}`,
    );
  const choice = `Choose one with --deployment: ${names.join(", ")}`;
  if (name === undefined)
    throw userError("ambiguous-selection", `${names.length} deployments have environments`, choice);
  throw new UserError([
    {
      code: "unknown-deployment",
      where: [],
      what: `Deployment "${name}" doesn't exist`,
      ...suggest(closest(name, names), choice),
    },
  ]);
}
