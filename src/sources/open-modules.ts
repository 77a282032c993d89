import { type Lock, lockBeside } from "../config/lock/lock.ts";
import { parseLock } from "../config/lock/parse.ts";
import { findLocked, type GitModule, isFromGit, verifyLocked } from "../config/lock/verify.ts";
import type { ModuleReference } from "../model/config.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { failed, ok, type Problem, problemsOf, type Result } from "../model/problems/problem.ts";
import { closest } from "../model/text/closest.ts";
import type { FileSource, ModuleRoot } from "../ports/cue.ts";
import type { Source } from "../ports/world.ts";

export interface OpenModule {
  readonly reference: ModuleReference;
  readonly root: ModuleRoot;
  /** Undefined for a directory of this repository. */
  readonly commit: string | undefined;
}

export interface OpenedModules {
  readonly modules: readonly OpenModule[];
  /** The lockfile, if it was read. */
  readonly lock: readonly string[];
  readonly notices: readonly Problem[];
}

interface WithModules {
  readonly file: string;
  readonly modules: readonly ModuleReference[];
}

/**
 * Opens the modules of a config. Git modules are at the commits of the lockfile next to the config,
 * read from the same working tree or commit. Without a lockfile, they are at the current commits of
 * their revisions, with a notice.
 */
export async function openModules(
  source: Source,
  config: WithModules,
): Promise<Result<OpenedModules>> {
  const fromGit = config.modules.filter(isFromGit);
  const lock = fromGit.length === 0 ? ok(undefined) : await readLock(source, config.file);
  const opened = await Promise.all(
    config.modules.map((module) => openModule(source, module, lock)),
  );
  const problems = [...problemsOf(lock), ...opened.flatMap(problemsOf)];
  if (!lock.ok || problems.length > 0) return failed(problems);
  const modules = opened.flatMap((one) => (one.ok ? [one.value] : []));
  const notices = modules.flatMap((module) => module.notices);
  return ok({
    modules,
    lock: lock.value === undefined ? [] : [lock.value.file],
    notices: lock.value === undefined ? [...notLocked(config.file, fromGit), ...notices] : notices,
  });
}

async function readLock({ tree }: Source, config: string): Promise<Result<Lock | undefined>> {
  const file = lockBeside(config);
  const text = await catchProblems(() => tree.read(file));
  if (!text.ok) return text;
  return text.value === undefined ? ok(undefined) : parseLock(file, text.value);
}

interface Opened extends OpenModule {
  readonly notices: readonly Problem[];
}

async function openModule(
  source: Source,
  module: ModuleReference,
  lock: Result<Lock | undefined>,
): Promise<Result<Opened>> {
  if (!isFromGit(module)) return openLocal(source, module);
  // The entries of an unreadable lockfile are unknown, so qvs must not fetch anything.
  return lock.ok ? openFromGit(source, module, lock.value) : failed([]);
}

async function openLocal(source: Source, module: ModuleReference): Promise<Result<Opened>> {
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
  { tree }: Source,
  path: string,
): Promise<Pick<Problem, "fix"> | undefined> {
  const files = await tree.list(["cue.mod/module.cue"]);
  const folders = files.map((file) => file.replace(/\/?cue\.mod\/module\.cue$/, ""));
  const meant = closest(path, folders);
  return meant === undefined ? undefined : { fix: `Did you mean the folder "${meant}"?` };
}

async function openFromGit(
  { modules, past = false }: Source,
  module: GitModule,
  lock: Lock | undefined,
): Promise<Result<Opened>> {
  const entry = lock === undefined ? ok(undefined) : findLocked(lock, module);
  if (!entry.ok) return entry;
  const { repo, revision, path } = module.source;
  const fetched = await modules.fetch({ repo, revision, path, locked: entry.value?.commit });
  if (!fetched.ok) return failed(placed(fetched.problems, module));
  const { commit, files } = fetched.value;
  const root = { display: `${module.name}@${revision}/`, files };
  const opened = { reference: module, root, commit, notices: [] };
  if (entry.value === undefined) return ok(opened);
  const { problems, notices } = verifyLocked(module, entry.value, fetched.value, past);
  return problems.length > 0 ? failed(problems) : ok({ ...opened, notices });
}

/**
 * Reports modules without a lockfile. A full commit ID can't change its meaning, so such modules
 * are skipped.
 */
function notLocked(config: string, modules: readonly GitModule[]): readonly Problem[] {
  const loose = modules.filter(({ source }) => !/^[0-9a-f]{40,}$/.test(source.revision));
  const [first] = loose;
  if (first === undefined) return [];
  const names = loose.map(({ name, source }) => `${name}@${source.revision}`).join(", ");
  const what = `These modules are not locked, so that a tag or branch that moves changes what is deployed: ${names}`;
  const fix = `Run \`qvs lock\` and commit ${lockBeside(config)}`;
  return [{ code: "module-not-locked", where: [first.where], what, fix }];
}

function placed(problems: readonly Problem[], { where }: ModuleReference): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, where: [where, ...problem.where] }));
}
