import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import {
  isChartName,
  isExactVersion,
  isOciChart,
  isRepositoryAddress,
  type PlacedChart,
} from "../../model/remote-chart.ts";
import { fieldNode, textOf, type YamlNode } from "../../model/yaml-node.ts";
import type { SourceTree } from "../../ports/git.ts";

/** The maximum number of dependencies of a chart. Large charts have about 30. */
const maxDependencies = 200;

/** A dependency with its version. */
export interface MissingDependency {
  readonly chart: PlacedChart;
  readonly notices: readonly Problem[];
}

/**
 * Returns the dependencies of a chart of the repository that its `charts/` lacks, and that a
 * registry or a Helm repository has. Chart.lock decides about their versions, or else an exact
 * version in Chart.yaml.
 * Helm reports all other missing dependencies.
 */
export async function missingDependencies(
  tree: SourceTree,
  { path }: Pick<ParsedChart, "path">,
): Promise<Result<readonly MissingDependency[]>> {
  // The list of files contains the end of a link, not the link.
  const end = path === "" ? "" : ((await tree.linkedPaths(path)).at(-1) ?? path);
  const prefix = end === "" ? "" : `${end}/`;
  const declared = await readDependencies(tree, `${prefix}Chart.yaml`);
  if (declared.length === 0) return ok([]);
  const vendored = (await tree.list([""])).filter((file) => file.startsWith(`${prefix}charts/`));
  const missing = declared
    .slice(0, maxDependencies)
    .map((node, index) => ({ node, index }))
    .filter(({ node }) => isRemote(node) && !isVendored(node, `${prefix}charts/`, vendored));
  if (missing.length === 0) return ok([]);
  const locked = await readDependencies(tree, `${prefix}Chart.lock`);
  const problems: Problem[] = [];
  const found = missing.flatMap(({ node, index }): readonly MissingDependency[] => {
    const version = versionOf(node, locked, index);
    if (version !== undefined)
      return [{ chart: toChart(node, version), notices: rangeNotices(node, version, path) }];
    problems.push(noVersionProblem(node, path));
    return [];
  });
  return problems.length > 0 ? failed(problems) : ok(found);
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
function rangeNotices(node: YamlNode, version: string, path: string): readonly Problem[] {
  const range = textOf(node, "version");
  if (isExactVersion(range.replace(/^=/, ""))) return [];
  return [
    {
      code: "chart-range-not-checked",
      where: [node.where],
      what: `Dependency "${textOf(node, "name")}" has the version of Chart.lock`,
      why: "qvs doesn't check that this version is in the range of Chart.yaml",
      facts: [
        { label: "Chart.lock", value: version },
        { label: "Chart.yaml", value: range || "(none)" },
      ],
      fix: `Run helm dependency build ${path || "."}, which checks that the files agree`,
      otherwise: ["write the exact version in Chart.yaml"],
    },
  ];
}

function noVersionProblem(node: YamlNode, path: string): Problem {
  return {
    code: "invalid-chart-source",
    where: [node.where],
    what: `Dependency "${textOf(node, "name")}" has no exact version`,
    why: "Chart.lock decides about its version, and must agree with Chart.yaml",
    facts: [{ label: "version", value: textOf(node, "version") || "(none)" }],
    fix: `Run helm dependency update ${path || "."}, and commit Chart.lock`,
    otherwise: ["write an exact version in Chart.yaml"],
  };
}
