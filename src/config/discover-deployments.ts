import { asDnsLabel, isDnsLabel } from "../model/cluster/dns-label.ts";
import type { Deployment } from "../model/deployment.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { folderOf } from "./repository-path.ts";

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
export function otherwiseEnded(paths: readonly string[]): readonly Problem[] {
  return paths
    .filter((path) => /(^|\/)\.valuestream\/qvs[^/]*\.yml$/.test(path))
    .map((path) => ({
      code: "config-not-found" as const,
      where: [startOf(path)],
      what: "QVS configs end in .yaml, so this file is not read",
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
  const deployments = [...configs].sort().map((config) => deploymentOf(config, repositoryName));
  const problems = [...deployments.flatMap(notALabel), ...sameNames(deployments)];
  return problems.length > 0 ? failed(problems) : ok(deployments);
}

function deploymentOf(config: string, repositoryName: string): Deployment {
  return {
    name: nameOf(config, repositoryName),
    config,
    params: [],
    environment: undefined,
    context: undefined,
    namespace: "default",
    dependsOn: [],
  };
}

function nameOf(config: string, repositoryName: string): string {
  const names = folderOf(config).split("/");
  const folders = names.at(-1) === ".valuestream" ? names.slice(0, -1) : names;
  const home = folders.at(-1) ?? "";
  const variant = /(?:^|\/)qvs_([^/]+)\.yaml$/.exec(config)?.[1];
  return asDnsLabel([home === "" ? repositoryName : home, variant ?? ""].join("-"));
}

function notALabel({ name, config }: Deployment): readonly Problem[] {
  if (isDnsLabel(name)) return [];
  const what = `No deployment name can be derived from the path of this config ("${name}")`;
  return [{ code: "invalid-name", where: [startOf(config)], what, fix: listThem }];
}

function sameNames(deployments: readonly Deployment[]): readonly Problem[] {
  const byName = Map.groupBy(deployments, ({ name }) => name);
  return [...byName].flatMap(([name, same]) => {
    if (same.length < 2) return [];
    const where = same.map(({ config }) => startOf(config));
    return [
      {
        code: "duplicate-name",
        where,
        what: `These configs would all be deployed as "${name}"`,
        fix: listThem,
      },
    ];
  });
}

const listThem = "Rename the directory, or list the deployments in .valuestream/deployments.yaml";

function startOf(file: string): Position {
  return { file, line: 1, column: 1 };
}
