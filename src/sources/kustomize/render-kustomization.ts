import type { ParsedFiles, ReadInput } from "../../config/inputs/parsed-input.ts";
import { type PlaceDocument, readRendered } from "../../config/inputs/read-objects.ts";
import { type LockEntry, lockfilePath } from "../../config/lockfile/lockfile.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { LockedSource } from "../../model/sources/locked-source.ts";
import type { RenderedKustomization, Rendering, RenderProblem } from "../../ports/render.ts";
import type { ConfigSource } from "../../ports/world.ts";
import { removeCredentials } from "../../redaction/hide-credentials.ts";
import { omittedProblems } from "../omitted-problems.ts";
import { LoadedFiles } from "./loaded-files.ts";
import { basePlace, type OriginFiles, placeDocuments } from "./origin-places.ts";
import {
  type BaseCommit,
  type BaseContext,
  type CheckedBases,
  checkBases,
  type OpenBase,
  openBases,
} from "./remote-bases.ts";

interface RenderedInput extends Pick<ReadInput, "files" | "objects" | "bases"> {
  readonly notices: readonly Problem[];
  /** The remote bases in the lockfile. */
  readonly locked: readonly LockedSource[];
}

/** The maximum number of rounds. Each round reads the files that the last one asked for. */
const maxRounds = 200;

/** The maximum size of the files that one kustomization can read, in characters. */
const maxText = 64 * 1024 * 1024;

/**
 * Renders a kustomization in the sandbox of the compiler, from the files of the tree and the remote
 * bases in the lockfile next to the config. With origins, each part of an object has the place that
 * wrote it, which takes another rendering. Otherwise, all have the place of the kustomization.
 */
export async function renderKustomization(
  source: ConfigSource,
  entry: ParsedFiles,
  config: string,
  withOrigins: boolean,
): Promise<Result<RenderedInput>> {
  const rendered = await renderInRounds(source, entry, config, "locked");
  if (!rendered.ok) return rendered;
  const { rendering, notices, locked } = rendered.value;
  const origins = withOrigins ? await readOrigins(source, entry, rendered.value) : undefined;
  const objects = toObjects(rendering, entry, origins);
  if (!objects.ok) return objects;
  const lock = locked.length === 0 ? [] : [lockfilePath(config)];
  const files = [...objects.value.files, ...lock];
  return ok({ ...objects.value, files, locked, notices: [...notices, ...objects.value.notices] });
}

/**
 * Returns the remote bases of a kustomization, and those that they name, at the current commits of
 * their revisions. Only a rendering shows all of them.
 * A kustomization that can't be rendered and names no base has none, unless the existing lockfile
 * can contain bases.
 */
export async function resolveBases(
  source: ConfigSource,
  entry: ParsedFiles,
  config: string,
  canHaveBases: boolean,
): Promise<Result<readonly LockEntry[]>> {
  const rendered = await renderInRounds(source, entry, config, "current");
  if (!rendered.ok) return rendered;
  const { rendering, opened, bases } = rendered.value;
  const { result } = rendering;
  if (result.ok) return ok(bases);
  const namesBase = opened.length > 0 || result.problems.some(({ code }) => code === "remote");
  if (!namesBase && !canHaveBases) return ok([]);
  return failed(result.problems.map((each) => renderProblem(each, entry)));
}

interface FinishedRendering extends CheckedBases {
  /** The files of the repository. */
  readonly files: LoadedFiles;
  /** The bases that the kustomization and its bases name. */
  readonly opened: readonly OpenBase[];
  readonly rendering: Rendering<RenderedKustomization>;
}

/**
 * Renders until nothing is missing. Only the renderer knows which files and remote bases it needs,
 * so qvs reads those that it asks for, in rounds.
 */
async function renderInRounds(
  source: ConfigSource,
  entry: ParsedFiles,
  config: string,
  commit: BaseCommit,
): Promise<Result<FinishedRendering>> {
  const files = await LoadedFiles.open(source.tree);
  await files.load([entry.path]);
  const context = { source, entry, config, commit, files };
  const bases: OpenBase[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const roots = [files, ...bases.map((base) => base.files)];
    const rendering = await renderOnce(source, entry, { files, opened: bases }, false);
    if (!rendering.ok)
      return failed(rendering.problems.map((each) => ({ ...each, where: [entry.where] })));
    const problems = [
      ...(await omittedPaths(rendering.value, source, entry, files)),
      ...fileProblems(rendering.value, roots, bases, entry),
    ];
    if (problems.length > 0) return failed(problems);
    const isLoaded = await loadAsked(rendering.value, roots);
    const opened = await openMissing(rendering.value, bases, context);
    if (!opened.ok) return opened;
    if (isLoaded && opened.value.length === 0)
      return finishRendering(rendering.value, bases, context);
    bases.push(...opened.value);
    if (roots.reduce((sum, { size }) => sum + size, 0) > maxText) break;
  }
  return failed([
    {
      code: "input-too-large",
      where: [entry.where],
      what: `Kustomization "${entry.written}" reads too many files`,
      facts: [{ label: "limit", value: `${maxText >> 20} MiB, ${maxRounds} directories` }],
      fix: "Move its files to directories of their own",
    },
  ]);
}

function renderOnce(
  { compiler }: ConfigSource,
  { path }: ParsedFiles,
  { files, opened }: Pick<FinishedRendering, "files" | "opened">,
  origins: boolean,
): ReturnType<ConfigSource["compiler"]["render"]> {
  const roots = [files, ...opened.map((base) => base.files)];
  return compiler.render({
    kustomize: path || ".",
    bases: opened.map(({ address }) => address),
    modules: roots.map((root) => ({ display: "", files: root.source() })),
    origins,
  });
}

/**
 * Returns a function that gives the parts of each document their places. Undefined if the rendering
 * with origins fails or has other documents: a place must not belong to another object.
 */
async function readOrigins(
  source: ConfigSource,
  entry: ParsedFiles,
  finished: FinishedRendering,
): Promise<((otherwise: Position) => PlaceDocument) | undefined> {
  const { rendering, files, opened } = finished;
  if (!rendering.result.ok) return undefined;
  const traced = await renderOnce(source, entry, finished, true);
  if (!traced.ok || !traced.value.result.ok) return undefined;
  const { documents, origins } = traced.value.result.value;
  if (origins === undefined || documents !== rendering.result.value.documents) return undefined;
  const roots = [originFiles("", files), ...opened.map((base) => baseFiles(base))];
  return (otherwise) => placeDocuments(origins, roots, otherwise);
}

function baseFiles({ subject, files }: OpenBase): OriginFiles {
  const { repo, revision } = subject.source;
  const name = removeCredentials(repo).replace(/^[a-z+]+:\/\//, "");
  return originFiles(`${name}@${revision}/`, files);
}

function originFiles(display: string, files: LoadedFiles): OriginFiles {
  return { display, has: (path) => files.has(path), text: (path) => files.text(path) };
}

function askedOf({ questions }: Rendering<unknown>, index: number): readonly string[] {
  return questions.filter(({ root }) => root === index).map(({ path }) => path);
}

/** Reads the files that the renderer asked for. Returns true if none was missing. */
async function loadAsked(
  rendering: Rendering<unknown>,
  roots: readonly LoadedFiles[],
): Promise<boolean> {
  const missing = roots.map((root, index) => root.missing(askedOf(rendering, index)));
  await Promise.all(roots.map((root, index) => root.load(missing[index] ?? [])));
  return missing.every(({ length }) => length === 0);
}

async function openMissing(
  { result }: Rendering<RenderedKustomization>,
  bases: readonly OpenBase[],
  context: BaseContext,
): Promise<Result<readonly OpenBase[]>> {
  const missing = result.ok ? result.value.missing : [];
  return missing.length === 0 ? ok([]) : openBases(missing, bases, context);
}

function finishRendering(
  rendering: Rendering<RenderedKustomization>,
  bases: readonly OpenBase[],
  context: BaseContext,
): Result<FinishedRendering> {
  const found = { rendering, files: context.files, opened: bases };
  // A failed rendering hasn't read all files of a base, so there is no hash to compare.
  if (!rendering.result.ok) return ok({ ...found, bases: [], locked: [], notices: [] });
  const checked = checkBases(bases, rendering.baseInputs, context);
  return checked.ok ? ok({ ...found, ...checked.value }) : checked;
}

/**
 * Returns the submodules and unreadable directories that a failed rendering asked for, wherever
 * they are. Kustomize only reports that a file doesn't exist.
 */
async function omittedPaths(
  rendering: Rendering<unknown>,
  { tree }: ConfigSource,
  entry: ParsedFiles,
  files: LoadedFiles,
): Promise<readonly Problem[]> {
  const { result } = rendering;
  if (result.ok) return [];
  const asked = askedOf(rendering, 0);
  const needs = (path: string) =>
    !files.has(path) && asked.some((each) => each === path || each.startsWith(`${path}/`));
  const omitted = omittedProblems(await tree.omitted(), needs, entry.where);
  const messages = result.problems.map(({ message }) => removeCredentials(message));
  const facts = [...new Set(messages)].map((value) => ({ label: "kustomize", value }));
  return omitted.map((each) => ({ ...each, facts: [...(each.facts ?? []), ...facts] }));
}

/** Returns the problems of files that the renderer needs. */
function fileProblems(
  rendering: Rendering<unknown>,
  roots: readonly LoadedFiles[],
  bases: readonly OpenBase[],
  entry: ParsedFiles,
): readonly Problem[] {
  return roots.flatMap((root, index) => {
    const base = bases[index - 1];
    const inputs = [rendering.inputs, ...rendering.baseInputs][index] ?? [];
    const broken = root.notText(inputs);
    const notText = broken === undefined ? [] : [notTextProblem(broken, entry)];
    return [...notText, ...root.unreadable(askedOf(rendering, index))].map((problem) =>
      base === undefined
        ? { ...problem, where: problem.where.length === 0 ? [entry.where] : problem.where }
        : inBase(problem, base, entry),
    );
  });
}

/** Returns a problem of a file of a base. The place in that repository can't be shown. */
function inBase(problem: Problem, { subject }: OpenBase, { where }: ParsedFiles): Problem {
  const file = problem.where[0]?.file;
  const inFile = file === undefined || file === where.file ? "" : `: ${file}`;
  const facts = [{ label: "remote base", value: `${subject.name}${inFile}` }];
  const places = subject.where === where ? [where] : [subject.where, where];
  return { ...problem, where: places, facts: [...(problem.facts ?? []), ...facts] };
}

function notTextProblem(file: string, { where }: ParsedFiles): Problem {
  return {
    code: "not-utf-8",
    where: [{ file, line: 1, column: 1 }, where],
    what: "A kustomization reads a file that isn't text in UTF-8",
    why: "qvs would change its bytes",
    fix: "Write its content in Base64, for example in binaryData of a ConfigMap",
  };
}

function toObjects(
  { result, inputs }: Rendering<RenderedKustomization>,
  entry: ParsedFiles,
  origins: ((otherwise: Position) => PlaceDocument) | undefined,
): Result<Omit<RenderedInput, "locked">> {
  if (!result.ok) return failed(result.problems.map((each) => renderProblem(each, entry)));
  const prefix = entry.path === "" ? "" : `${entry.path}/`;
  const own = inputs.find(
    (path) => path.startsWith(prefix) && /^kustomization/i.test(path.slice(prefix.length)),
  );
  const where = { file: own ?? entry.path, line: 1, column: 1 };
  const objects = readRendered(where, result.value.documents, undefined, origins?.(where));
  if (!objects.ok) return objects;
  const notices = result.value.notices.map(
    ({ message }): Problem => ({
      code: "render-warning",
      where: [where],
      what: `Kustomize warns about "${entry.written}"`,
      why: message,
      fix: "Correct the kustomization as the message shows",
    }),
  );
  const bases = origins === undefined ? {} : { bases: objects.value.map(basePlace) };
  return ok({ files: inputs, objects: objects.value, ...bases, notices });
}

function renderProblem({ code, message, at }: RenderProblem, entry: ParsedFiles): Problem {
  const place = at === undefined ? [] : [{ file: at.file, line: at.line ?? 1, column: 1 }];
  return {
    code: code === "limit" ? "input-too-large" : "render-failed",
    where: [...place, entry.where],
    what: `Kustomization "${entry.written}" can't be rendered`,
    why: removeCredentials(message),
    fix: renderFixes[code],
  };
}

const renderFixes: Readonly<Record<RenderProblem["code"], string>> = {
  invalid: "Correct the file that the message names",
  limit: "Use smaller files",
  remote: "Copy the file into the repository: qvs reads only remote bases, and only from Git",
  unsupported: "Render this part with another tool, and commit the result",
};
