import { dnsLabelRule, isDnsLabel } from "../model/cluster/dns-label.ts";
import { type Deployment, type OnRemoved, onRemovedValues } from "../model/deployment.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { reportDependencies } from "./deployment-dependencies.ts";
import { resolveBeside } from "./repository-path.ts";
import { readYaml } from "./yaml/read.ts";
import {
  described,
  listOf,
  oneOf,
  optional,
  record,
  required,
  type Text,
  text,
} from "./yaml/shape.ts";

const deploymentShape = record({
  name: described(
    "Name of the deployment, a DNS label that is unique in the file.",
    required(text),
  ),
  config: described("Path of the config, relative to this file.", required(text)),
  params: described(
    "Parameter files. Values in later files replace values in earlier ones.",
    optional(listOf(text)),
  ),
  environment: described("GitHub environment of the deployment.", optional(text)),
  context: described("Context of the kubeconfig. Default: the current context.", optional(text)),
  namespace: described(
    "Namespace for objects without one, for releases and for the lock. Default: default.",
    optional(text),
  ),
  dependsOn: described(
    "Names of deployments that the Action deploys first.",
    optional(listOf(text)),
  ),
  "on-removed": described(
    "Result of removing this entry: keep its objects or delete them. Default: on-removed of the file.",
    optional(oneOf(onRemovedValues)),
  ),
});

const deploymentsShape = record({
  deployments: described("Deployments of this repository.", required(listOf(deploymentShape))),
  "on-removed": described(
    "on-removed of entries that don't set it: keep or delete the objects of a removed entry. Default: keep.",
    optional(oneOf(onRemovedValues)),
  ),
});

/** The JSON Schema of deployments.yaml. */
export const deploymentsSchema = deploymentsShape.schema;

interface WrittenDeployment {
  readonly name: Text;
  readonly config: Text;
  readonly params: readonly Text[] | undefined;
  readonly environment: Text | undefined;
  readonly context: Text | undefined;
  readonly namespace: Text | undefined;
  readonly dependsOn: readonly Text[] | undefined;
  readonly "on-removed": OnRemoved | undefined;
}

/**
 * Reads `.valuestream/deployments.yaml` (docs/reference/deployments-yaml.md), in the order of the
 * file.
 * `file` is its path from the root of the repository. The paths in it are relative to the file, and
 * the paths in the result to the root.
 */
export function parseDeployments(file: string, content: string): Result<readonly Deployment[]> {
  const yaml = readYaml(file, content);
  if (!yaml.ok) return yaml;
  const problems: Problem[] = [];
  const list = deploymentsShape(yaml.value, "", problems);
  const written = list?.deployments ?? [];
  const deployments = written.map((each) => {
    const onRemoved = each["on-removed"] ?? list?.["on-removed"];
    const deployment = readDeployment(file, each, problems);
    return onRemoved === undefined ? deployment : { ...deployment, onRemoved };
  });
  reportTwice(written, problems);
  reportDependencies(written, problems);
  return problems.length > 0 ? failed(problems) : ok(deployments);
}

/**
 * Returns the positions at which a list names the file at `path`, in one deployment's entry or in
 * all entries. Both paths start at the root of the repository.
 */
export function whereNamed(
  { file, content }: { readonly file: string; readonly content: string },
  path: string,
  deployment: string | undefined,
): readonly Position[] {
  const yaml = readYaml(file, content);
  const list = yaml.ok ? deploymentsShape(yaml.value, "", []) : undefined;
  const entries = (list?.deployments ?? []).filter(
    ({ name }) => deployment === undefined || name.value === deployment,
  );
  return entries
    .flatMap(({ config, params = [] }) => [config, ...params])
    .filter(({ value }) => resolveBeside(file, value) === path)
    .map(({ where }) => where);
}

function readDeployment(file: string, written: WrittenDeployment, problems: Problem[]): Deployment {
  reportNotALabel("deployment name", written.name, problems);
  reportNotALabel("namespace", written.namespace, problems);
  return {
    name: written.name.value,
    config: inside(file, written.config, problems),
    params: (written.params ?? []).map((path) => inside(file, path, problems)),
    environment: written.environment?.value,
    context: written.context?.value,
    namespace: written.namespace?.value ?? "default",
    dependsOn: (written.dependsOn ?? []).map(({ value }) => value),
  };
}

function reportNotALabel(what: string, name: Text | undefined, problems: Problem[]): void {
  if (name === undefined || isDnsLabel(name.value)) return;
  problems.push({
    code: "invalid-name",
    where: [name.where],
    what: `"${name.value}" cannot be a ${what}`,
    fix: dnsLabelRule,
  });
}

function inside(file: string, path: Text, problems: Problem[]): string {
  const resolved = resolveBeside(file, path.value);
  if (resolved !== undefined && resolved !== "") return resolved;
  const what = `The path "${path.value}" does not lead to a file of the repository`;
  const fix = `Give a path inside the repository, relative to ${file}`;
  problems.push({ code: "path-outside-repository", where: [path.where], what, fix });
  return "";
}

function reportTwice(written: readonly WrittenDeployment[], problems: Problem[]): void {
  const first = new Map<string, Position>();
  for (const { name } of written) {
    const before = first.get(name.value);
    if (before === undefined) first.set(name.value, name.where);
    else {
      const what = `Two deployments have the name "${name.value}"`;
      problems.push({
        code: "duplicate-name",
        where: [name.where, before],
        what,
        fix: "Rename one of them",
      });
    }
  }
}
