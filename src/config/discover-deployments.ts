import { isDnsLabel, toDnsLabel } from "../model/cluster/object-names.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { parentDirectory } from "./repository-path.ts";

/** The paths of configs, at any depth (docs/reference/qvs-yaml.md#fields). */
const configPath = /(^|\/)\.valuestream\/qvs[^/]*\.yaml$/;

/** Returns the configs among the paths of a repository, sorted. */
export function findConfigs(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => configPath.test(path)).sort();
}

/**
 * Reports configs that end in `.yml`. qvs doesn't read them, and without an error it would treat
 * their deployments as removed.
 */
export function wrongExtensionProblems(paths: readonly string[]): readonly Problem[] {
  return paths
    .filter((path) => /(^|\/)\.valuestream\/qvs[^/]*\.yml$/.test(path))
    .map((path) => ({
      code: "config-not-found" as const,
      where: [fileStart(path)],
      what: `"${path}" doesn't end in .yaml`,
      why: "qvs reads only configs that end in .yaml",
      fix: `Rename it to ${path.replace(/\.yml$/, ".yaml")}`,
    }));
}

/**
 * Returns one deployment per config, for repositories without deployments.yaml
 * (docs/reference/deployments-yaml.md#without-deploymentsyaml).
 * The name comes from the directory that contains `.valuestream`, or from the repository at its
 * root. The part after `qvs_` in the file name is appended. The result is a DNS label:
 * `My_Shop/.valuestream/qvs_EU.yaml` becomes `my-shop-eu`.
 */
export function discoverDeployments(
  configs: readonly string[],
  repositoryName: string,
): Result<readonly Deployment[]> {
  const deployments = [...configs].sort().map((config) => toDeployment(config, repositoryName));
  const problems = [
    ...deployments.flatMap(invalidNameProblems),
    ...duplicateNameProblems(deployments),
  ];
  return problems.length > 0 ? failed(problems) : ok(deployments);
}

function toDeployment(config: string, repositoryName: string): Deployment {
  return {
    name: deploymentName(config, repositoryName),
    config,
    params: [],
    environment: undefined,
    context: undefined,
    namespace: "default",
    dependsOn: [],
  };
}

function deploymentName(config: string, repositoryName: string): string {
  const names = parentDirectory(config).split("/");
  const folders = names.at(-1) === ".valuestream" ? names.slice(0, -1) : names;
  const home = folders.at(-1) ?? "";
  const variant = /(?:^|\/)qvs_([^/]+)\.yaml$/.exec(config)?.[1];
  return toDnsLabel([home === "" ? repositoryName : home, variant ?? ""].join("-"));
}

function invalidNameProblems({ name, config }: Deployment): readonly Problem[] {
  if (isDnsLabel(name)) return [];
  return [
    {
      code: "invalid-name",
      where: [fileStart(config)],
      what: `"${config}" gives no valid deployment name`,
      facts: [{ label: "derived", value: `"${name}"` }],
      ...renameFixes,
    },
  ];
}

function duplicateNameProblems(deployments: readonly Deployment[]): readonly Problem[] {
  const byName = Map.groupBy(deployments, ({ name }) => name);
  return [...byName].flatMap(([name, same]) => {
    if (same.length < 2) return [];
    const where = same.map(({ config }) => fileStart(config));
    return [
      {
        code: "duplicate-name",
        where,
        what: `"${name}" would be the deployment name of ${same.length} configs`,
        ...renameFixes,
      },
    ];
  });
}

const renameFixes = {
  fix: "Rename the directory",
  otherwise: ["list the deployments in .valuestream/deployments.yaml"],
} as const;

function fileStart(file: string): Position {
  return { file, line: 1, column: 1 };
}
