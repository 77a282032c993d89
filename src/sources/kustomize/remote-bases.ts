import { createHash } from "node:crypto";
import type { ParsedFiles } from "../../config/inputs/parsed-input.ts";
import {
  type LockEntry,
  type LockedModule,
  type Lockfile,
  lockedBase,
  lockfilePath,
} from "../../config/lockfile/lockfile.ts";
import {
  findLockEntry,
  type LockedSubject,
  verifyModule,
} from "../../config/lockfile/verify-module.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import type { LockedSource } from "../../model/sources/locked-source.ts";
import type { FetchedRepository } from "../../ports/git.ts";
import type { NamedBase } from "../../ports/render.ts";
import type { ConfigSource } from "../../ports/world.ts";
import { removeCredentials } from "../../redaction/hide-credentials.ts";
import { readLock } from "../read-lock.ts";
import { LoadedFiles } from "./loaded-files.ts";

/** The maximum number of remote bases of one kustomization, with those of its bases. */
const maxBases = 50;

/** The maximum number of files in the repositories of all bases. Each base has its own list. */
const maxListed = 500_000;

/** The maximum number of remote bases that name each other in a row. */
const maxDepth = 10;

/**
 * The commit to use: that of the lockfile, or the current one of the revision. Only `qvs lock` asks
 * for the current one.
 */
export type BaseCommit = "locked" | "current";

/** A remote base with the files of its repository. */
export interface OpenBase {
  readonly address: string;
  readonly files: LoadedFiles;
  readonly subject: LockedSubject;
  readonly commit: string;
  readonly moved: FetchedRepository["moved"];
  /** The entry of the lockfile; undefined for the current commit. */
  readonly entry: LockedModule | undefined;
  /** The number of bases from the kustomization of the repository to this one. */
  readonly depth: number;
}

export interface BaseContext {
  readonly source: ConfigSource;
  readonly entry: ParsedFiles;
  /** The path of the config. */
  readonly config: string;
  readonly commit: BaseCommit;
  /** The files of the repository. */
  readonly files: LoadedFiles;
}

/**
 * Opens the bases that a rendering has found, after the bases `open`. Reports all that aren't
 * locked. Fetches nothing that the lockfile lacks: the repository of a base could otherwise make
 * qvs contact any host.
 */
export async function openBases(
  named: readonly NamedBase[],
  open: readonly OpenBase[],
  context: BaseContext,
): Promise<Result<readonly OpenBase[]>> {
  const found = named.map((each) => ({ ...each, depth: depthOf(each, open) }));
  const tooDeep = found.find(({ depth }) => depth > maxDepth);
  if (tooDeep !== undefined || open.length + named.length > maxBases)
    return failed([tooManyProblem(tooDeep ?? found[0], open, context)]);
  const lock = await openLock(context);
  if (!lock.ok) return lock;
  const opened = await Promise.all(found.map((each) => openBase(each, open, lock.value, context)));
  const problems = opened.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const bases = opened.flatMap((one) => (one.ok ? [one.value] : []));
  const listed = [...open, ...bases].reduce((sum, { files }) => sum + files.count, 0);
  return listed > maxListed ? failed([tooManyProblem(found[0], open, context)]) : ok(bases);
}

function depthOf({ from }: NamedBase, open: readonly OpenBase[]): number {
  return 1 + (open[from - 1]?.depth ?? 0);
}

/** Returns the lockfile; undefined if no entry is needed. No file counts as one without entries. */
async function openLock({
  source,
  config,
  commit,
}: BaseContext): Promise<Result<Lockfile | undefined>> {
  if (commit === "current") return ok(undefined);
  const lock = await readLock(source, config);
  const none = { file: lockfilePath(config), modules: [], charts: [], bases: [] };
  return lock.ok ? ok(lock.value ?? none) : lock;
}

async function openBase(
  named: NamedBase & Pick<OpenBase, "depth">,
  open: readonly OpenBase[],
  lock: Lockfile | undefined,
  context: BaseContext,
): Promise<Result<OpenBase>> {
  const { address, repository: repo, path, depth } = named;
  const revision = named.revision || "HEAD";
  const where = placesOf(named, context);
  const subject: LockedSubject = {
    noun: "remote base",
    name: removeCredentials(address),
    source: { from: "git", repo, revision, path },
    where: where[0] ?? context.entry.where,
  };
  const placed = (problems: readonly Problem[]) =>
    failed<OpenBase>(
      problems.map((each) => ({
        ...each,
        where: [...where, ...each.where.filter((place) => !where.includes(place))],
        facts: [...(each.facts ?? []), ...namedBy(named, open)],
      })),
    );
  const entry = lock === undefined ? ok(undefined) : findLockEntry(lock, subject);
  if (!entry.ok) return placed(entry.problems);
  const { modules } = context.source;
  const locked = entry.value?.commit;
  const fetched = await modules.fetchRepository({ repo, revision, locked });
  if (!fetched.ok) return placed(fetched.problems);
  const { commit, moved, tree } = fetched.value;
  const files = await LoadedFiles.open(tree);
  await files.load([path]);
  return ok({ address, files, subject, commit, moved, entry: entry.value, depth });
}

/** Returns the line of the address in the repository, and the entry of the config. */
function placesOf({ from, file, address }: NamedBase, { entry, files }: BaseContext) {
  if (from > 0) return [entry.where];
  const text = files.text(file) ?? "";
  const lines = text.slice(0, indexOfWhole(text, address)).split("\n");
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const place: Position = { file, line: lines.length, column };
  return [place, entry.where];
}

/** Returns the index of an address that isn't the beginning of a longer one; 0 without any. */
function indexOfWhole(text: string, address: string): number {
  const first = text.indexOf(address);
  for (let at = first; at >= 0; at = text.indexOf(address, at + 1)) {
    const next = text.charAt(at + address.length);
    if (next === "" || " \t\r\n'\",]}#".includes(next)) return at;
  }
  return Math.max(0, first);
}

function namedBy(
  { from, file }: NamedBase,
  open: readonly OpenBase[],
): NonNullable<Problem["facts"]> {
  const parent = open[from - 1];
  return parent === undefined
    ? []
    : [{ label: "named by", value: `${parent.subject.name}: ${file}` }];
}

function tooManyProblem(
  named: NamedBase | undefined,
  open: readonly OpenBase[],
  context: BaseContext,
): Problem {
  return {
    code: "input-too-large",
    where: named === undefined ? [context.entry.where] : placesOf(named, context),
    what: `Kustomization "${context.entry.written}" has too many or too large remote bases`,
    facts: [
      { label: "limit", value: `${maxBases} bases, ${maxDepth} in a row, ${maxListed} files` },
      ...(named === undefined ? [] : namedBy(named, open)),
    ],
    fix: "Copy some of the bases into the repository",
  };
}

/** The result of comparing the bases of a rendering with the lockfile. */
export interface CheckedBases {
  readonly bases: readonly LockEntry[];
  /** The entries of the lockfile; empty for current commits. */
  readonly locked: readonly LockedSource[];
  readonly notices: readonly Problem[];
}

/**
 * Compares each base with its entry in the lockfile. `inputs` contains the files that Kustomize has
 * read for each base.
 */
export function checkBases(
  open: readonly OpenBase[],
  inputs: readonly (readonly string[])[],
  { source: { past = false }, entry }: BaseContext,
): Result<CheckedBases> {
  const problems: Problem[] = [];
  const notices: Problem[] = [];
  const bases = open.map((base, index): LockEntry => {
    const { repo: repository, revision, path } = base.subject.source;
    const hash = contentHash(base.files, inputs[index] ?? []);
    if (base.entry !== undefined) {
      const found = { hash, moved: base.moved };
      const compared = verifyModule(base.subject, base.entry, found, past);
      problems.push(...compared.problems.map((each) => withEntry(each, entry)));
      notices.push(...compared.notices.map((each) => withEntry(each, entry)));
    }
    return { repository, revision, path, commit: base.commit, hash };
  });
  if (problems.length > 0) return failed(problems);
  const entries = open.flatMap((base) => base.entry ?? []);
  return ok({ bases, locked: entries.map(lockedBase), notices });
}

function withEntry(problem: Problem, { where }: ParsedFiles): Problem {
  return problem.where.includes(where) ? problem : { ...problem, where: [...problem.where, where] };
}

/**
 * Returns the content hash of a base for the lockfile: `sha256:` and the SHA-256 of a list, in hex.
 * The list has one line for each file that Kustomize reads for the base, in the format of
 * `sha256sum`, sorted by the bytes of the path from the root of the repository. Only the base
 * decides which files these are, not the kustomization that names it.
 */
function contentHash(files: LoadedFiles, inputs: readonly string[]): string {
  const sorted = inputs.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines = sorted.map((path) => `${sha256(files.text(path) ?? "")}  ${path}\n`);
  return `sha256:${sha256(lines.join(""))}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
