import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import {
  isChartName,
  isExactVersion,
  isOciChart,
  isRepositoryAddress,
  type PlacedChart,
} from "../../model/sources/remote-chart.ts";
import { fieldNode, textOf, type YamlNode } from "../../model/sources/yaml-node.ts";
import type { SourceTree } from "../../ports/git.ts";

/** The maximum number of dependencies of a chart. Large charts have about 30. */
const maxDependencies = 200;

/** A dependency with its version. */
export interface MissingDependency {
  readonly chart: PlacedChart;
  readonly notices: readonly Problem[];
}

/** A file of a chart with the list `dependencies`, which is empty if the file lacks it. */
interface DependencyFile {
  readonly name: string;
  readonly dependencies: readonly YamlNode[];
}

/** The files of a chart that declare and lock its dependencies. */
interface DependencyFiles {
  readonly declaring: DependencyFile;
  readonly locking: DependencyFile;
  /** The path of the chart. */
  readonly path: string;
}

/**
 * Returns the dependencies of a chart of the repository that its `charts/` lacks, and that a
 * registry or a Helm repository has. Chart.lock decides about their versions, or else an exact
 * version in Chart.yaml. In charts of API v1, the files are requirements.lock and
 * requirements.yaml.
 * Helm reports all other missing dependencies.
 */
export async function missingDependencies(
  tree: SourceTree,
  { path }: Pick<ParsedChart, "path">,
): Promise<Result<readonly MissingDependency[]>> {
  // The list of files contains the end of a link, not the link.
  const end = path === "" ? "" : ((await tree.linkedPaths(path)).at(-1) ?? path);
  const prefix = end === "" ? "" : `${end}/`;
  const declaring = await readFirst(tree, prefix, ["requirements.yaml", "Chart.yaml"]);
  const declared = declaring.dependencies;
  if (declared.length === 0) return ok([]);
  const vendored = (await tree.list([""])).filter((file) => file.startsWith(`${prefix}charts/`));
  const missing = declared
    .slice(0, maxDependencies)
    .map((node, index) => ({ node, index }))
    .filter(({ node }) => isRemote(node) && !isVendored(node, `${prefix}charts/`, vendored));
  if (missing.length === 0) return ok([]);
  const locking = await readFirst(tree, prefix, ["requirements.lock", "Chart.lock"]);
  const files = { declaring, locking, path };
  const problems: Problem[] = [];
  const found = missing.flatMap(({ node, index }): readonly MissingDependency[] => {
    const version = versionOf(node, locking.dependencies, index);
    if (version !== undefined)
      return [{ chart: toChart(node, version), notices: rangeNotices(node, version, files) }];
    problems.push(noVersionProblem(node, files));
    return [];
  });
  return problems.length > 0 ? failed(problems) : ok(found);
}

/**
 * Returns the first of these files with dependencies, or else the last one. Helm reads the
 * requirements of a chart of any API version, and they replace those of Chart.yaml.
 */
async function readFirst(
  tree: SourceTree,
  prefix: string,
  [old, current]: readonly [old: string, current: string],
): Promise<DependencyFile> {
  const dependencies = await readDependencies(tree, `${prefix}${old}`);
  return dependencies.length > 0
    ? { name: old, dependencies }
    : { name: current, dependencies: await readDependencies(tree, `${prefix}${current}`) };
}

/** Returns the list `dependencies` of a file; empty if Helm can't read it either. */
async function readDependencies(tree: SourceTree, file: string): Promise<readonly YamlNode[]> {
  const text = await tree.read(file);
  if (text === undefined) return [];
  const read = readManifestYaml(file, text);
  const list = read.ok ? fieldNode(read.value[0], "dependencies") : undefined;
  return list?.kind === "list" ? list.items : [];
}

function isRemote(node: YamlNode): boolean {
  const repository = textOf(node, "repository");
  if (!isChartName(textOf(node, "name")) || repository.includes("@")) return false;
  return repository.startsWith("oci://")
    ? isOciChart(ociAddress(node))
    : isRepositoryAddress(repository);
}

function ociAddress(node: YamlNode): string {
  return `${textOf(node, "repository").replace(/(?<!\/)\/+$/, "")}/${textOf(node, "name")}`;
}

/** Reports whether `charts/` contains the chart, as a directory or packed. */
function isVendored(node: YamlNode, folder: string, files: readonly string[]): boolean {
  const start = `${folder}${textOf(node, "name")}`;
  return files.some(
    (file) =>
      file === `${start}/Chart.yaml` ||
      (file.startsWith(`${start}-`) &&
        file.endsWith(".tgz") &&
        /^v?\d/.test(file.slice(start.length + 1))),
  );
}

/** Returns the version in Chart.lock, whose list has the order of Chart.yaml. */
function versionOf(node: YamlNode, locked: readonly YamlNode[], index: number): string | undefined {
  const isSame = (other: YamlNode | undefined) =>
    other !== undefined &&
    ["name", "repository"].every((key) => textOf(other, key) === textOf(node, key));
  const entry = isSame(locked[index]) ? locked[index] : locked.find(isSame);
  const [chosen, declared] = [entry, node].map((each) => (each ? textOf(each, "version") : ""));
  // An exact version in Chart.yaml that differs from Chart.lock leaves open which one is meant.
  const bare = (version = "") => version.replace(/^[=v]+/, "");
  if (chosen && isExactVersion(bare(declared)) && bare(chosen) !== bare(declared)) return undefined;
  return [chosen, declared].find((version) => isExactVersion(version ?? ""));
}

function toChart(node: YamlNode, version: string): PlacedChart {
  const repository = textOf(node, "repository");
  const { where } = node;
  return repository.startsWith("oci://")
    ? { chart: ociAddress(node), repository: undefined, version, where }
    : { chart: textOf(node, "name"), repository, version, where };
}

/** Reports a range, which qvs can't compare with the version in Chart.lock. */
function rangeNotices(
  node: YamlNode,
  version: string,
  { declaring, locking, path }: DependencyFiles,
): readonly Problem[] {
  const range = textOf(node, "version");
  if (isExactVersion(range.replace(/^=/, ""))) return [];
  return [
    {
      code: "chart-range-not-checked",
      where: [node.where],
      what: `Dependency "${textOf(node, "name")}" has the version of ${locking.name}`,
      why: `qvs doesn't check that this version is in the range of ${declaring.name}`,
      facts: [
        { label: locking.name, value: version },
        { label: declaring.name, value: range || "(none)" },
      ],
      fix: `Run helm dependency build ${path || "."}, which checks that the files agree`,
      otherwise: [`write the exact version in ${declaring.name}`],
    },
  ];
}

function noVersionProblem(node: YamlNode, { declaring, locking, path }: DependencyFiles): Problem {
  return {
    code: "invalid-chart-source",
    where: [node.where],
    what: `Dependency "${textOf(node, "name")}" has no exact version`,
    why: `${locking.name} decides about its version, and must agree with ${declaring.name}`,
    facts: [{ label: "version", value: textOf(node, "version") || "(none)" }],
    fix: `Run helm dependency update ${path || "."}, and commit ${locking.name}`,
    otherwise: [`write an exact version in ${declaring.name}`],
  };
}
