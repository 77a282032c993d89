import { dnsLabelRule, isDnsLabel } from "../model/cluster/object-names.ts";
import {
  type Deployment,
  type DeploymentRequirement,
  deploymentRequirements,
  type OnRemoved,
  onRemovedValues,
} from "../model/deployments/deployment.ts";
import { walkDepthFirst } from "../model/depth-first.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import type { YamlNode } from "../model/sources/yaml-node.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import { writtenChecks } from "./checks/check-shape.ts";
import { reportPreviews } from "./preview/check-previews.ts";
import { previewShape, readPreview } from "./preview/preview-shape.ts";
import { resolveRepositoryPath } from "./repository-path.ts";
import { readYaml } from "./yaml/read.ts";
import {
  described,
  listOf,
  oneOf,
  optional,
  record,
  required,
  text,
  type YamlText,
} from "./yaml/shape.ts";

interface Dependent {
  readonly name: YamlText;
  readonly dependsOn: readonly YamlText[] | undefined;
}

/**
 * Checks that every name in `dependsOn` is a deployment of the list, and that there is no cycle.
 */
function reportDependencies(deployments: readonly Dependent[], problems: Problem[]): void {
  const names = deployments.map(({ name }) => name.value);
  for (const { value, where } of deployments.flatMap(({ dependsOn }) => dependsOn ?? [])) {
    if (names.includes(value)) continue;
    problems.push({
      code: "unknown-deployment",
      where: [where],
      what: `Deployment "${value}" doesn't exist`,
      ...suggest(closest(value, names), "Name a deployment of this file"),
    });
  }
  const cycle = findCycle(deployments);
  if (cycle !== undefined) problems.push(cycle);
}

/** Returns the first cycle as a problem. */
function findCycle(deployments: readonly Dependent[]): Problem | undefined {
  const byName = new Map(deployments.map((each) => [each.name.value, each]));
  const cycles: (readonly YamlText[])[] = [];
  walkDepthFirst<YamlText>(byName.keys(), {
    edgesOf: (name) => byName.get(name)?.dependsOn ?? [],
    targetOf: ({ value }) => value,
    leave: () => {},
    cycle: (edges) => cycles.push(edges.map(({ edge }) => edge)),
  });
  const [cycle] = cycles;
  return cycle === undefined ? undefined : describeCycle(cycle);
}

function describeCycle(edges: readonly YamlText[]): Problem {
  const names = edges.map(({ value }) => value);
  return {
    code: "dependency-cycle",
    where: edges.map(({ where }) => where),
    what: `Deployment "${names.at(-1)}" depends on itself`,
    facts: [{ label: "cycle", value: [names.at(-1), ...names].join(" → ") }],
    fix: "Remove one of these deployments from dependsOn",
  };
}

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
  require: described(
    "reversible blocks a deployment that a rollback couldn't undo. Default: none.",
    optional(oneOf(deploymentRequirements)),
  ),
  checks: described(
    "Checks of this deployment, in addition to those of the config.",
    optional(writtenChecks),
  ),
  preview: described("Environments of pull requests. Default: none.", optional(previewShape)),
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
  readonly name: YamlText;
  readonly config: YamlText;
  readonly params: readonly YamlText[] | undefined;
  readonly environment: YamlText | undefined;
  readonly context: YamlText | undefined;
  readonly namespace: YamlText | undefined;
  readonly dependsOn: readonly YamlText[] | undefined;
  readonly "on-removed": OnRemoved | undefined;
  readonly require: DeploymentRequirement | undefined;
  readonly checks: YamlNode | undefined;
  readonly preview: ReturnType<typeof previewShape>;
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
  reportDuplicates(written, problems);
  reportDependencies(written, problems);
  reportPreviews(written, problems);
  return problems.length > 0 ? failed(problems) : ok(deployments);
}

/**
 * Returns the positions at which a list names the file at `path`, in one deployment's entry or in
 * all entries. Both paths start at the root of the repository.
 */
export function findFileMentions(
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
    .filter(({ value }) => resolveRepositoryPath(file, value) === path)
    .map(({ where }) => where);
}

function readDeployment(file: string, written: WrittenDeployment, problems: Problem[]): Deployment {
  reportInvalidLabel("deployment name", written.name, problems);
  reportInvalidLabel("namespace", written.namespace, problems);
  const { checks, require, preview } = written;
  return {
    name: written.name.value,
    config: resolvePath(file, written.config, problems),
    params: (written.params ?? []).map((path) => resolvePath(file, path, problems)),
    environment: written.environment?.value,
    context: written.context?.value,
    namespace: written.namespace?.value ?? "default",
    dependsOn: (written.dependsOn ?? []).map(({ value }) => value),
    ...(require === undefined ? {} : { require }),
    ...(checks === undefined ? {} : { checks }),
    ...(preview === undefined ? {} : { preview: readPreview(preview, problems) }),
  };
}

function reportInvalidLabel(what: string, name: YamlText | undefined, problems: Problem[]): void {
  if (name === undefined || isDnsLabel(name.value)) return;
  problems.push({
    code: "invalid-name",
    where: [name.where],
    what: `"${name.value}" isn't a valid ${what}`,
    fix: dnsLabelRule,
  });
}

function resolvePath(file: string, path: YamlText, problems: Problem[]): string {
  const resolved = resolveRepositoryPath(file, path.value);
  if (resolved !== undefined && resolved !== "") return resolved;
  const what = `Path "${path.value}" doesn't point to a file of this repository`;
  const fix = `Write the path of a file in the repository, relative to ${file}`;
  problems.push({ code: "path-outside-repository", where: [path.where], what, fix });
  return "";
}

function reportDuplicates(written: readonly WrittenDeployment[], problems: Problem[]): void {
  const first = new Map<string, Position>();
  for (const { name } of written) {
    const before = first.get(name.value);
    if (before === undefined) first.set(name.value, name.where);
    else {
      const what = `Deployment name "${name.value}" is used twice`;
      problems.push({
        code: "duplicate-name",
        where: [name.where, before],
        what,
        fix: "Rename one of the two deployments",
      });
    }
  }
}
