import { parseDeployments } from "../config/parse-deployments.ts";
import type {
  Deployment,
  DeploymentListing,
  ListingLookup,
  UnknownReason,
} from "../model/deployments/deployment.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { notFileProblem } from "../model/problems/file-problems.ts";
import { failed } from "../model/problems/problem.ts";
import type { FileTree } from "../ports/git.ts";
import type { World } from "../ports/world.ts";
import { deploymentsFile, isListed, joinDirectory, listDeployments } from "./list-deployments.ts";

type AdjustDeployment = (deployment: Deployment) => Deployment;

/**
 * Returns a function that looks up a deployment in the newest commit of a branch. It reads the
 * branch on every call, because a run can be late or restarted after the branch has changed.
 */
export function createListingLookup(
  world: World,
  branch: string,
  adjusted: AdjustDeployment,
): ListingLookup {
  return async (deployment) => {
    const newest = await world.newestCommit(branch);
    if (newest.type === "unknown") return newest;
    const { commit, tree } = newest;
    const found = await catchProblems(() => findListing(world, tree, deployment, adjusted));
    if (!found.ok) return notReadable(commit, found.problems[0]?.what ?? "");
    return found.value.type === "unknown" ? found.value : { ...found.value, commit };
  };
}

type FoundListing =
  | Omit<Extract<DeploymentListing, { readonly type: "listed" }>, "commit">
  | Omit<Extract<DeploymentListing, { readonly type: "not listed" }>, "commit">
  | UnknownReason;

async function findListing(
  { repositoryName, folder }: World,
  tree: FileTree,
  deployment: Deployment,
  adjusted: AdjustDeployment,
): Promise<FoundListing> {
  const deletes = deployment.onRemoved === "delete";
  const own = await listDeployments(tree, repositoryName, folder);
  if (!own.ok) return unknown(`has a list with errors: ${own.problems[0]?.what}`);
  const named = own.value.find(({ name }) => name === deployment.name);
  // A removed deployment that is now listed for another place isn't the removed one. A user still
  // wants a deployment with that name.
  if (named !== undefined && (deletes || isSamePlace(adjusted(named), deployment)))
    return { type: "listed", otherList: undefined };
  if (deletes && !(await isListed(tree, folder))) return unknown("has no list of deployments");
  const others = await otherLists(tree, folder, adjusted);
  if (!others.ok) return unknown(others.why);
  const otherList = others.fileOf(deployment);
  return otherList === undefined ? { type: "not listed" } : { type: "listed", otherList };
}

export type OtherLists =
  | {
      readonly ok: true;
      /** Returns the list with the deployment, by name and place; undefined for none. */
      readonly fileOf: (deployment: Deployment) => string | undefined;
    }
  /** `why` continues a sentence about the commit. */
  | { readonly ok: false; readonly why: string };

/** The maximum number of lists that qvs reads. If there are more, their content is unknown. */
const mostLists = 100;

interface ReadList {
  readonly file: string;
  readonly deployments: readonly Deployment[];
}

type ReadLists =
  | { readonly ok: true; readonly lists: readonly ReadList[] }
  /** `why` continues a sentence about the commit. */
  | { readonly ok: false; readonly why: string };

/** Reads the lists of deployments of all other directories. */
export async function readOtherLists(tree: FileTree, folder = ""): Promise<ReadLists> {
  const ending = `/${deploymentsFile}`;
  const all = await tree.list([deploymentsFile]);
  const files = all.filter(
    (path) => `/${path}`.endsWith(ending) && path !== joinDirectory(folder, deploymentsFile),
  );
  if (files.length > mostLists)
    return { ok: false, why: `has more than ${mostLists} lists of deployments` };
  const lists = await Promise.all(
    files.map(async (file) => ({
      file,
      list: await readList(tree, file),
    })),
  );
  const unreadable = lists.find(({ list }) => !list.ok);
  if (unreadable !== undefined)
    return { ok: false, why: `has errors in ${unreadable.file}, which might list it` };
  const read = lists.map(({ file, list }) => ({ file, deployments: list.ok ? list.value : [] }));
  return { ok: true, lists: read };
}

/** Reads a list. A link to a directory isn't an empty list. */
async function readList(
  tree: FileTree,
  file: string,
): Promise<ReturnType<typeof parseDeployments>> {
  const text = await tree.read(file);
  return text === undefined
    ? failed([{ ...notFileProblem(file), where: [] }])
    : parseDeployments(file, text);
}

/**
 * Looks up deployments in the lists of all other directories at a commit. An entry can have moved
 * to the list of another workflow.
 */
export async function otherLists(
  tree: FileTree,
  folder = "",
  adjusted: AdjustDeployment = (deployment) => deployment,
): Promise<OtherLists> {
  const read = await readOtherLists(tree, folder);
  if (!read.ok) return read;
  const fileOf = (deployment: Deployment) =>
    read.lists.find(({ deployments }) =>
      deployments.some((each) => isSame(each, deployment, adjusted)),
    )?.file;
  return { ok: true, fileOf };
}

/**
 * Compares an entry with and without the inputs. The inputs of the other list's workflow are
 * unknown: it can have the same ones, or none.
 */
function isSame(listed: Deployment, deployment: Deployment, adjusted: AdjustDeployment): boolean {
  if (listed.name !== deployment.name) return false;
  return [listed, adjusted(listed)].some((each) => isSamePlace(each, deployment));
}

function isSamePlace(one: Deployment, other: Deployment): boolean {
  return one.namespace === other.namespace && one.context === other.context;
}

function unknown(why: string): UnknownReason {
  return { type: "unknown", why: `the newest commit of the branch ${why}`, fix };
}

function notReadable(commit: string, what: string): UnknownReason {
  const why = `the newest commit of the branch, ${commit.slice(0, 12)}, can't be read: ${what}`;
  return { type: "unknown", why, fix };
}

const fix = "Fix the list on the branch, and start this run again";
