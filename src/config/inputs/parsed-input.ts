import type { Position, Problem } from "../../model/problems/problem.ts";
import type { Stage } from "../../model/sources/compilation.ts";
import type { BoundParam, ChartResource } from "../../model/sources/config.ts";
import { type PlacedChart, packedChartName } from "../../model/sources/remote-chart.ts";
import type { YamlMap, YamlNode } from "../../model/sources/yaml-node.ts";
import { resolveRepositoryPath } from "../repository-path.ts";
import type { YamlText } from "../yaml/shape.ts";
import { parseRemoteChart, type WrittenSource } from "./remote-chart.ts";

/** An entry that names files as written, before any file is read. */
export type ParsedInput = ParsedFiles | ParsedChart;

/** The parts of every entry that names files. */
interface ParsedEntry {
  /** The path as written. */
  readonly written: string;
  /** The path or glob from the root of the repository. */
  readonly path: string;
  readonly stage: Stage;
  readonly group: YamlNode | undefined;
  readonly namespace: YamlNode | undefined;
  readonly where: Position;
}

/** An entry with plain manifests or a kustomization. */
export interface ParsedFiles extends ParsedEntry {
  readonly form: "manifests" | "kustomize";
}

/** An entry with a chart. */
export interface ParsedChart extends ParsedEntry {
  readonly form: "helm";
  /** Undefined for a chart of the repository. The path of another one is only for messages. */
  readonly remote: PlacedChart | undefined;
  readonly release: YamlNode;
  readonly values: readonly ValuesFile[];
  readonly set: YamlMap | undefined;
  readonly kubeVersion: YamlNode | undefined;
  readonly apiVersions: YamlNode | undefined;
  /** False if the files in `crds/` are left out. */
  readonly crds: boolean;
}

/** A values file, with its path from the root of the repository. */
interface ValuesFile {
  readonly written: string;
  readonly path: string;
  readonly where: Position;
}

/** An entry with the objects of its files, in which `$(params.…)` isn't replaced yet. */
export interface ReadInput extends Omit<ParsedEntry, "path"> {
  readonly form: ParsedInput["form"];
  readonly files: readonly string[];
  readonly objects: readonly YamlMap[];
  /** The place of each object that a remote base declares, in the order of `objects`. */
  readonly bases?: readonly (Position | undefined)[];
  /**
   * The parameters in the values of a chart. Its objects are rendered with them and contain no
   * reference.
   */
  readonly chart?: ChartParams;
  /** The resource of an adapter that the objects replace. */
  readonly replaces?: ChartResource;
}

export interface ChartParams {
  readonly params: readonly BoundParam[];
  /** The names of the parameters in values whose names say that they are secrets. */
  readonly secretParams: readonly string[];
}

interface WrittenInput {
  readonly stage: Stage | undefined;
  readonly group: YamlNode | undefined;
  readonly namespace: YamlNode | undefined;
}

/** Returns the entry with its path resolved. It reports a path that leaves the repository. */
export function parseInput(
  file: string,
  form: ParsedFiles["form"],
  named: YamlText,
  written: WrittenInput,
  problems: Problem[],
): ParsedFiles | undefined {
  const path = pathInside(file, named, problems);
  return path === undefined ? undefined : { form, ...parsedEntry(named, path, written) };
}

interface WrittenChart extends WrittenInput, WrittenSource {
  readonly release: YamlNode;
  readonly values: readonly YamlText[] | undefined;
  readonly set: YamlMap | undefined;
  readonly kubeVersion: YamlNode | undefined;
  readonly apiVersions: YamlNode | undefined;
  readonly crds: boolean | undefined;
}

/** Returns the entry with its paths resolved. It reports a path that leaves the repository. */
export function parseChart(
  file: string,
  written: WrittenChart,
  problems: Problem[],
): ParsedChart | undefined {
  const { chart, release, set, kubeVersion, apiVersions, crds = true } = written;
  const source = parseRemoteChart(written, problems);
  const remote = source === "local" ? undefined : source;
  const path =
    source === "local" ? pathInside(file, chart, problems) : remote && packedChartName(remote);
  const values = (written.values ?? []).flatMap((named): readonly ValuesFile[] => {
    const found = pathInside(file, named, problems);
    return found === undefined ? [] : [{ written: named.value, path: found, where: named.where }];
  });
  if (path === undefined) return undefined;
  const given = { remote, release, values, set, kubeVersion, apiVersions, crds };
  return { form: "helm", ...parsedEntry(chart, path, written), ...given };
}

function parsedEntry(
  { value, where }: YamlText,
  path: string,
  { stage = "app", group, namespace }: WrittenInput,
): ParsedEntry {
  return { written: value, path, stage, group, namespace, where };
}

function pathInside(
  file: string,
  { value: written, where }: YamlText,
  problems: Problem[],
): string | undefined {
  const path = resolveRepositoryPath(file, written);
  if (path !== undefined) return path;
  problems.push({
    code: "path-outside-repository",
    where: [where],
    what: `Path "${written}" leads outside the repository`,
    fix: "Write a path relative to this file, inside the repository, with / between names",
  });
  return undefined;
}
