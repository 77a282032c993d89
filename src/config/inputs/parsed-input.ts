import type { Stage } from "../../model/compilation.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlMap, YamlNode } from "../../model/yaml-node.ts";
import { resolveRepositoryPath } from "../repository-path.ts";
import type { YamlText } from "../yaml/shape.ts";

/** An entry with plain manifests as written, before any file is read. */
export interface ParsedInput {
  /** The path as written. */
  readonly written: string;
  /** The path or glob from the root of the repository. */
  readonly path: string;
  readonly stage: Stage;
  readonly group: YamlNode | undefined;
  readonly namespace: YamlNode | undefined;
  readonly where: Position;
}

/** An entry with the objects of its files, in which `$(params.…)` isn't replaced yet. */
export interface ReadInput extends ParsedInput {
  readonly files: readonly string[];
  readonly objects: readonly YamlMap[];
}

interface WrittenManifests {
  readonly manifests: YamlText;
  readonly stage: Stage | undefined;
  readonly group: YamlNode | undefined;
  readonly namespace: YamlNode | undefined;
}

/** Returns the entry with its path resolved. It reports a path that leaves the repository. */
export function parseManifests(
  file: string,
  written: WrittenManifests,
  problems: Problem[],
): ParsedInput | undefined {
  const { manifests, stage = "app", group, namespace } = written;
  const path = resolveRepositoryPath(file, manifests.value);
  if (path !== undefined)
    return { written: manifests.value, path, stage, group, namespace, where: manifests.where };
  problems.push({
    code: "path-outside-repository",
    where: [manifests.where],
    what: `Path "${manifests.value}" leads outside the repository`,
    fix: "Write a path relative to this file, inside the repository, with / between names",
  });
  return undefined;
}
