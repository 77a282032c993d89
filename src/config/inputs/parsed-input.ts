import type { Stage } from "../../model/compilation.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlMap, YamlNode } from "../../model/yaml-node.ts";
import { resolveRepositoryPath } from "../repository-path.ts";
import type { YamlText } from "../yaml/shape.ts";

/** An entry with plain manifests or a kustomization as written, before any file is read. */
export interface ParsedInput {
  readonly form: "manifests" | "kustomize";
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

interface WrittenInput {
  readonly stage: Stage | undefined;
  readonly group: YamlNode | undefined;
  readonly namespace: YamlNode | undefined;
}

/** Returns the entry with its path resolved. It reports a path that leaves the repository. */
export function parseInput(
  file: string,
  form: ParsedInput["form"],
  named: YamlText,
  { stage = "app", group, namespace }: WrittenInput,
  problems: Problem[],
): ParsedInput | undefined {
  const { value: written, where } = named;
  const path = resolveRepositoryPath(file, written);
  if (path !== undefined) return { form, written, path, stage, group, namespace, where };
  problems.push({
    code: "path-outside-repository",
    where: [where],
    what: `Path "${written}" leads outside the repository`,
    fix: "Write a path relative to this file, inside the repository, with / between names",
  });
  return undefined;
}
