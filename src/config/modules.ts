import type { JsonObject } from "../model/json.ts";
import type { Position, Problem, UnplacedProblem } from "../model/problems/problem.ts";
import type { ModuleReference, ModuleSource } from "../model/sources/config.ts";
import { findParamReferences } from "./param-references.ts";
import { resolveRepositoryPath } from "./repository-path.ts";
import {
  described,
  optional,
  record,
  required,
  text,
  withRules,
  type YamlText,
} from "./yaml/shape.ts";

/**
 * The shape of one entry of `modules`, in any of its three forms
 * (docs/reference/qvs-yaml.md#modules).
 * If a module isn't at the root of its repository, `remote.path` names the directory of its
 * `cue.mod`. qvs doesn't search for it by name. The config thus shows which module is used, and a
 * second module with that name can't change it.
 */
export const moduleShape = withRules(
  record(
    {
      name: described(
        "Module path. With revision, the address of its Git repository.",
        required(text),
      ),
      revision: described(
        "Tag, branch or commit of the repository that name is the address of.",
        optional(text),
      ),
      remote: described(
        "Git repository whose address differs from the name of the module.",
        optional(
          record({
            repo: described(
              "Address: host/owner/name, https://…, ssh://… or git@host:path.",
              required(text),
            ),
            revision: described("Tag, branch or commit.", required(text)),
            path: described(
              "Directory that contains cue.mod. Default: the root of the repository.",
              optional(text),
            ),
          }),
        ),
      ),
      local: described(
        "Directory of this repository.",
        optional(
          record({
            path: described("Path of the directory, relative to this file.", required(text)),
          }),
        ),
      ),
    },
    {
      ...Object.fromEntries(["version", "tag", "branch", "ref", "commit"].map(revisionHint)),
      path: 'Write "local: {path: …}"',
      repo: 'Write "remote: {repo: …, revision: …}"',
      url: 'Write "remote: {repo: …, revision: …}"',
    },
  ),
  { oneOf: ["revision", "remote", "local"].map(requiresKey) },
);

function requiresKey(form: string): JsonObject {
  return { required: [form], properties: { [form]: { not: { type: "null" } } } };
}

function revisionHint(key: string): readonly [string, string] {
  return [key, 'Write "revision: …" with a tag, branch or commit'];
}

interface WrittenModule {
  readonly name: YamlText;
  readonly revision: YamlText | undefined;
  readonly remote:
    | {
        readonly repo: YamlText;
        readonly revision: YamlText;
        readonly path: YamlText | undefined;
        readonly where: Position;
      }
    | undefined;
  readonly local: { readonly path: YamlText; readonly where: Position } | undefined;
  readonly where: Position;
}

/** Returns the modules with a valid source, and adds a problem for each of the others. */
export function readModules(
  file: string,
  modules: readonly WrittenModule[],
  problems: Problem[],
): readonly ModuleReference[] {
  return modules.flatMap((written) => {
    const source = readSource(file, written, problems);
    return source === undefined
      ? []
      : [{ name: written.name.value, source, where: written.name.where }];
  });
}

function readSource(
  file: string,
  { name, revision, remote, local }: WrittenModule,
  problems: Problem[],
): ModuleSource | undefined {
  const given = [revision, remote, local]
    .filter((form) => form !== undefined)
    .sort((a, b) => a.where.line - b.where.line || a.where.column - b.where.column);
  if (given.length !== 1) {
    problems.push({
      where: [name.where, ...given.map(({ where }) => where)],
      ...sourceCountProblem(name, given),
    });
    return undefined;
  }
  const texts = [name, revision, remote?.repo, remote?.revision, remote?.path, local?.path];
  reportReferences(texts, problems);
  if (remote !== undefined) {
    const path = remote.path === undefined ? "" : folderInRepository(remote.path, problems);
    if (path === undefined) return undefined;
    return { from: "git", repo: remote.repo.value, revision: remote.revision.value, path };
  }
  if (revision !== undefined) {
    return { from: "git", repo: name.value, revision: revision.value, path: "" };
  }
  return local === undefined ? undefined : localSource(file, local.path, problems);
}

function sourceCountProblem({ value }: YamlText, given: readonly unknown[]): UnplacedProblem {
  if (given.length > 0) {
    const what = `Module "${value}" has more than one source`;
    return { code: "invalid-module-source", what, fix: "Keep one of revision, remote and local" };
  }
  return {
    code: "invalid-module-source",
    what: `Module "${value}" has no source`,
    fix: 'Add "revision: TAG" if the name is the address of its repository',
    otherwise: [
      'add "remote: {repo: …, revision: …}" for a repository with another address',
      'add "local: {path: …}" for a directory of this repository',
    ],
  };
}

function folderInRepository(path: YamlText, problems: Problem[]): string | undefined {
  const resolved = resolveRepositoryPath("", path.value);
  if (resolved !== undefined) return resolved;
  problems.push({
    code: "path-outside-repository",
    where: [path.where],
    what: `Module path "${path.value}" is outside its repository`,
    fix: "Set path to the directory that contains cue.mod, relative to the root of that repository",
  });
  return undefined;
}

function localSource(file: string, path: YamlText, problems: Problem[]): ModuleSource | undefined {
  const resolved = resolveRepositoryPath(file, path.value);
  if (resolved !== undefined) return { from: "local", path: resolved };
  problems.push({
    code: "path-outside-repository",
    where: [path.where],
    what: `Module path "${path.value}" is outside this repository`,
    fix: "Set path to a directory of this repository, relative to this file",
    otherwise: ["name a Git repository with remote"],
  });
  return undefined;
}

/**
 * Rejects references to parameters. The lockfile and the cache use these strings as keys, so they
 * can't depend on parameter values.
 */
function reportReferences(texts: readonly (YamlText | undefined)[], problems: Problem[]): void {
  for (const written of texts) {
    if (written === undefined || findParamReferences(written.value).length === 0) continue;
    const what = '"modules" contains a parameter reference';
    problems.push({
      code: "invalid-module-source",
      where: [written.where],
      what,
      why: "qvs doesn't replace parameters in modules",
      fix: "Write the value itself",
    });
  }
}
