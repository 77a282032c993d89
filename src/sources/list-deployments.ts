import {
  discoverDeployments,
  findConfigs,
  wrongExtensionProblems,
} from "../config/discover-deployments.ts";
import { parseDeployments } from "../config/parse-deployments.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { notFileProblem } from "../model/problems/file-problems.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { closest, suggest, summarizeList } from "../model/text/suggest.ts";
import type { FileTree, SourceTree } from "../ports/git.ts";

export const deploymentsFile = ".valuestream/deployments.yaml";

export function joinDirectory(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

/** The selected deployment, and the command-line values that replace those in deployments.yaml. */
export interface DeploymentSelection {
  readonly config: string | undefined;
  readonly deployment: string | undefined;
  readonly params: readonly string[];
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}

/**
 * Returns every deployment of a repository (docs/reference/deployments-yaml.md): the listed ones,
 * or one per config.
 * With `folder`, it returns the deployments of that directory. All paths still start at the root of
 * the repository.
 */
export async function listDeployments(
  tree: FileTree,
  repositoryName: string,
  folder = "",
): Promise<Result<readonly Deployment[]>> {
  const file = joinDirectory(folder, deploymentsFile);
  const text = await tree.read(file);
  if (text !== undefined) return parseDeployments(file, text);
  const all = await tree.list([".yaml", ".yml"]);
  // A link to a directory, or a directory with this name, isn't a missing list.
  if (all.some((path) => path === file || path.startsWith(`${file}/`)))
    return failed([{ ...notFileProblem(file), where: [] }]);
  const paths = all.filter((path) => path.startsWith(joinDirectory(folder, "")));
  const overlooked = wrongExtensionProblems(paths);
  const configs = findConfigs(paths);
  const found =
    overlooked.length > 0
      ? failed<readonly Deployment[]>(overlooked)
      : discoverDeployments(configs, repositoryName);
  return found.ok || countPlaces(found.problems) <= maxPlaces ? found : failed([tooMany(paths)]);
}

/** Reports whether a file lists the deployments, so that qvs doesn't derive them from configs. */
export async function isListed(tree: FileTree, folder = ""): Promise<boolean> {
  return (await tree.read(joinDirectory(folder, deploymentsFile))) !== undefined;
}

/**
 * The maximum number of places in problems. If there are more, the directory is probably not a
 * repository but a parent of many, such as /tmp.
 */
const maxPlaces = 40;

function countPlaces(problems: readonly Problem[]): number {
  return problems.reduce((sum, { where }) => sum + Math.max(1, where.length), 0);
}

const namedConfigs = 3;

function tooMany(paths: readonly string[]): Problem {
  const configs = paths.filter((path) => /(^|\/)\.valuestream\/qvs[^/]*\.ya?ml$/.test(path));
  return {
    code: "ambiguous-selection",
    where: [],
    what: `The ${configs.length} configs below this directory aren't of one application`,
    facts: [{ label: "configs", value: summarizeList(configs, namedConfigs) }],
    why: "qvs searched all directories below this one",
    fix: "Run qvs in the right repository, or name it with -C DIRECTORY",
    otherwise: ["name a config with --config", `list the deployments in ${deploymentsFile}`],
  };
}

/**
 * Returns the deployment that a command works on. Throws a UserError that lists the choices if the
 * selection is ambiguous.
 */
export async function chooseDeployment(
  tree: SourceTree,
  repositoryName: string,
  selection: DeploymentSelection,
): Promise<Deployment> {
  const all = await candidateDeployments(tree, repositoryName, selection);
  if (!all.ok) throw new UserError(all.problems);
  const chosen = choose(all.value, selection.deployment);
  return {
    ...chosen,
    params: [...chosen.params, ...selection.params],
    context: selection.context ?? chosen.context,
    namespace: selection.namespace ?? chosen.namespace,
  };
}

/**
 * Returns the deployment to roll back. Its releases are in the cluster, so a deployment with name
 * and namespace needs no config.
 * It can be removed from the list, or a user can run the command in another directory in an
 * emergency.
 */
export async function chooseRecorded(
  tree: SourceTree,
  repositoryName: string,
  selection: DeploymentSelection,
): Promise<Deployment> {
  const { deployment: name, namespace, context } = selection;
  const all = await listDeployments(tree, repositoryName);
  if (name === undefined || namespace === undefined) {
    if (all.ok && all.value.length === 0 && selection.config === undefined) throw nothingNamed();
    return chooseDeployment(tree, repositoryName, selection);
  }
  const listed = all.ok ? all.value.find((each) => each.name === name) : undefined;
  if (listed !== undefined) return chooseDeployment(tree, repositoryName, selection);
  const nowhere = { config: "", params: [], environment: undefined, dependsOn: [] };
  return { ...nowhere, name, namespace, context };
}

/**
 * Returns the deployments to choose from. A config that the command line names doesn't need an
 * entry.
 */
export async function candidateDeployments(
  tree: SourceTree,
  repositoryName: string,
  { config, deployment }: DeploymentSelection,
): Promise<Result<readonly Deployment[]>> {
  const all = await listDeployments(tree, repositoryName);
  if (config === undefined) return all;
  const listed = all.ok ? all.value.filter((each) => each.config === config) : [];
  if (listed.length > 0) return ok(listed);
  const alone = discoverDeployments([config], repositoryName);
  if (!alone.ok || deployment === undefined) return alone;
  return ok(alone.value.map((each) => ({ ...each, name: deployment })));
}

export function nothingToDeploy(): UserError {
  return new UserError([
    {
      code: "config-not-found",
      where: [],
      what: "This directory has no deployments",
      why: `qvs found no ${deploymentsFile} at the top and no .valuestream/qvs.yaml in any directory`,
      fix: "Run `qvs init`",
      otherwise: [
        "write a config to .valuestream/qvs.yaml",
        `list the deployments in ${deploymentsFile}`,
      ],
    },
  ]);
}

function nothingNamed(): UserError {
  return new UserError([
    {
      code: "config-not-found",
      where: [],
      what: "This directory has no deployments",
      fix: "Name one with --deployment and --namespace: the cluster contains its releases",
      otherwise: ["run qvs in the repository of the deployment"],
    },
  ]);
}

function choose(all: readonly Deployment[], name: string | undefined): Deployment {
  const names = all.map((deployment) => deployment.name);
  const [first, ...others] = all;
  if (first === undefined) {
    throw nothingToDeploy();
  }
  if (name === undefined && others.length === 0) return first;
  const found = all.find((deployment) => deployment.name === name);
  if (found !== undefined) return found;
  const choice = `Choose one with --deployment: ${names.join(", ")}`;
  throw new UserError([
    name === undefined
      ? {
          code: "ambiguous-selection",
          where: [],
          what: `This directory has ${names.length} deployments`,
          fix: choice,
        }
      : {
          code: "unknown-deployment",
          where: [],
          what: `Deployment "${name}" doesn't exist`,
          ...suggest(closest(name, names), choice),
        },
  ]);
}
