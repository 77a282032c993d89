import { type Lockfile, lockedModule, lockfilePath } from "../config/lockfile/lockfile.ts";
import {
  findLockEntry,
  type GitModule,
  isGitModule,
  verifyModule,
} from "../config/lockfile/verify-module.ts";
import { catchProblems } from "../model/problems/errors.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import type { ModuleReference } from "../model/sources/config.ts";
import type { LockedSource } from "../model/sources/locked-source.ts";
import { closest } from "../model/text/suggest.ts";
import type { FileSource, ModuleRoot } from "../ports/cue.ts";
import type { ConfigSource } from "../ports/world.ts";
import { readLock } from "./read-lock.ts";

export interface OpenModule {
  readonly reference: ModuleReference;
  readonly root: ModuleRoot;
  /** Undefined for a directory of this repository. */
  readonly commit: string | undefined;
  /** The entry of the lockfile; undefined without one. */
  readonly locked?: LockedSource;
}

export interface OpenedModules {
  readonly modules: readonly OpenModule[];
  /** The lockfile, if it was read. */
  readonly lock: readonly string[];
  readonly notices: readonly Problem[];
}

interface ConfigModules {
  readonly file: string;
  readonly modules: readonly ModuleReference[];
}

/**
 * Opens the modules of a config. Git modules are at the commits of the lockfile next to the config,
 * read from the same working tree or commit. Without a lockfile, they are at the current commits of
 * their revisions, with a notice.
 */
export async function openModules(
  source: ConfigSource,
  config: ConfigModules,
): Promise<Result<OpenedModules>> {
  const fromGit = config.modules.filter(isGitModule);
  const lock = fromGit.length === 0 ? ok(undefined) : await readLock(source, config.file);
  const opened = await Promise.all(
    config.modules.map((module) => openModule(source, module, lock)),
  );
  const problems = [...resultProblems(lock), ...opened.flatMap(resultProblems)];
  if (!lock.ok || problems.length > 0) return failed(problems);
  const modules = opened.flatMap((one) => (one.ok ? [one.value] : []));
  const notices = modules.flatMap((module) => module.notices);
  return ok({
    modules,
    lock: lock.value === undefined ? [] : [lock.value.file],
    notices: lock.value === undefined ? [...notLocked(config.file, fromGit), ...notices] : notices,
  });
}

interface Opened extends OpenModule {
  readonly notices: readonly Problem[];
}

async function openModule(
  source: ConfigSource,
  module: ModuleReference,
  lock: Result<Lockfile | undefined>,
): Promise<Result<Opened>> {
  if (!isGitModule(module)) return openLocal(source, module);
  // The entries of an unreadable lockfile are unknown, so qvs must not fetch anything.
  return lock.ok ? openFromGit(source, module, lock.value) : failed([]);
}

async function openLocal(source: ConfigSource, module: ModuleReference): Promise<Result<Opened>> {
  const { path } = module.source;
  const folder = await catchProblems(() => source.tree.folder(path));
  if (!folder.ok) {
    const guess = await nearModule(source, path);
    const problems = folder.problems.map((problem) =>
      problem.code === "module-file-missing" ? { ...problem, ...guess } : problem,
    );
    return failed(placed(problems, module));
  }
  const root = localRoot(path, folder.value);
  return ok({ reference: module, root, commit: undefined, notices: [] });
}

/** Returns a directory of this repository, with paths as the user knows them. */
export function localRoot(path: string, files: FileSource): ModuleRoot {
  return { display: path === "" ? "" : `${path}/`, files };
}

/** Suggests the local module with the nearest path, if one is similar. */
async function nearModule(
  { tree }: ConfigSource,
  path: string,
): Promise<Pick<Problem, "fix"> | undefined> {
  const files = await tree.list(["cue.mod/module.cue"]);
  const folders = files.map((file) => file.replace(/\/?cue\.mod\/module\.cue$/, ""));
  const meant = closest(path, folders);
  return meant === undefined ? undefined : { fix: `Did you mean "${meant}"?` };
}

async function openFromGit(
  { modules, past = false }: ConfigSource,
  module: GitModule,
  lock: Lockfile | undefined,
): Promise<Result<Opened>> {
  const entry = lock === undefined ? ok(undefined) : findLockEntry(lock, module);
  if (!entry.ok) return entry;
  const { repo, revision, path } = module.source;
  const fetched = await modules.fetch({ repo, revision, path, locked: entry.value?.commit });
  if (!fetched.ok) return failed(placed(fetched.problems, module));
  const { commit, files } = fetched.value;
  const root = { display: `${module.name}@${revision}/`, files };
  const opened = { reference: module, root, commit, notices: [] };
  if (entry.value === undefined) return ok(opened);
  const { problems, notices } = verifyModule(module, entry.value, fetched.value, past);
  const locked = lockedModule(module.name, entry.value);
  return problems.length > 0 ? failed(problems) : ok({ ...opened, locked, notices });
}

/**
 * Reports modules without a lockfile. A full commit ID can't change its meaning, so such modules
 * are skipped.
 */
function notLocked(config: string, modules: readonly GitModule[]): readonly Problem[] {
  const loose = modules.filter(({ source }) => !/^[0-9a-f]{40,}$/.test(source.revision));
  const [first] = loose;
  if (first === undefined) return [];
  const names = loose.map(({ name, source }) => `${name}@${source.revision}`);
  return [
    {
      code: "module-not-locked",
      where: [first.where],
      what:
        names.length === 1
          ? `Module ${names[0]} isn't locked`
          : `${names.length} modules aren't locked`,
      ...(names.length === 1 ? {} : { facts: [{ label: "modules", value: names.join(", ") }] }),
      why: "If the tag or branch of a module moves, qvs deploys other content",
      fix: `Run \`qvs lock\` and commit ${lockfilePath(config)}`,
    },
  ];
}

function placed(problems: readonly Problem[], { where }: ModuleReference): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, where: [where, ...problem.where] }));
}
