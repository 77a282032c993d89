import type { ModuleReference, ModuleSource } from "../model/config.ts";
import type { JsonObject } from "../model/json.ts";
import type { Position, Problem } from "../model/problems/problem.ts";
import { findReferences } from "./references.ts";
import { resolveBeside } from "./repository-path.ts";
import { described, optional, record, required, type Text, text, withRules } from "./yaml/shape.ts";

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
      ...Object.fromEntries(["version", "tag", "branch", "ref", "commit"].map(asRevision)),
      path: 'Write "local: {path: …}"',
      repo: 'Write "remote: {repo: …, revision: …}"',
      url: 'Write "remote: {repo: …, revision: …}"',
    },
  ),
  { oneOf: ["revision", "remote", "local"].map(isGiven) },
);

function isGiven(form: string): JsonObject {
  return { required: [form], properties: { [form]: { not: { type: "null" } } } };
}

function asRevision(key: string): readonly [string, string] {
  return [key, 'Write "revision: …" with a tag, branch or commit'];
}

interface WrittenModule {
  readonly name: Text;
  readonly revision: Text | undefined;
  readonly remote:
    | {
        readonly repo: Text;
        readonly revision: Text;
        readonly path: Text | undefined;
        readonly where: Position;
      }
    | undefined;
  readonly local: { readonly path: Text; readonly where: Position } | undefined;
  readonly where: Position;
}

/** Returns the modules with a valid source, and adds a problem for each of the others. */
export function readModules(
  file: string,
  modules: readonly WrittenModule[],
  problems: Problem[],
): readonly ModuleReference[] {
  return modules.flatMap((written) => {
    const source = sourceOf(file, written, problems);
    return source === undefined
      ? []
      : [{ name: written.name.value, source, where: written.name.where }];
  });
}

function sourceOf(
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
      ...unclear(name, given),
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

function unclear({ value }: Text, given: readonly unknown[]): Omit<Problem, "where"> {
  if (given.length > 0) {
    const what = `The module "${value}" says more than once where it lives`;
    return { code: "invalid-module-source", what, fix: "Keep one of revision, remote and local" };
  }
  return {
    code: "invalid-module-source",
    what: `The module "${value}" does not say where it lives`,
    fix: 'Give it "revision: TAG" where the name is that of its repository, else "remote: {repo: …, revision: …}" or "local: {path: …}"',
  };
}

function folderInRepository(path: Text, problems: Problem[]): string | undefined {
  const resolved = resolveBeside("", path.value);
  if (resolved !== undefined) return resolved;
  problems.push({
    code: "path-outside-repository",
    where: [path.where],
    what: `The module path "${path.value}" leads outside of its repository`,
    fix: "Give the folder that holds cue.mod, counted from the root of that repository",
  });
  return undefined;
}

function localSource(file: string, path: Text, problems: Problem[]): ModuleSource | undefined {
  const resolved = resolveBeside(file, path.value);
  if (resolved !== undefined) return { from: "local", path: resolved };
  problems.push({
    code: "path-outside-repository",
    where: [path.where],
    what: `The local module path "${path.value}" leads outside the repository`,
    fix: "Give a path inside the repository, relative to this file, or name a git repository with remote",
  });
  return undefined;
}

/**
 * Rejects references to parameters. The lockfile and the cache use these strings as keys, so they
 * can't depend on parameter values.
 */
function reportReferences(texts: readonly (Text | undefined)[], problems: Problem[]): void {
  for (const written of texts) {
    if (written === undefined || findReferences(written.value).length === 0) continue;
    const what = "Parameters are not replaced in modules";
    problems.push({
      code: "invalid-module-source",
      where: [written.where],
      what,
      fix: "Write the name or revision itself",
    });
  }
}
