import { createHash } from "node:crypto";
import { UserError } from "../../../model/problems/errors.ts";
import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import type { EmbeddedFiles } from "../../../ports/cue.ts";
import type { Environment } from "../../environment.ts";
import { readEmbedded } from "../embeds/read-embedded.ts";
import { followLinks } from "../follow-links.ts";
import { listCueFiles } from "../list-tree.ts";
import { type CommitListing, toRepository } from "../repository.ts";

/** The CUE files of a module and the files that they embed, by path from its root. */
export interface ModuleContent {
  readonly files: ReadonlyMap<string, string>;
  readonly embedded: EmbeddedFiles;
  readonly hash: string;
}

/**
 * The location of a module: a directory ("" for the root) of a commit in a repository of the cache.
 */
export interface ModuleLocation {
  readonly directory: string;
  readonly commit: string;
  readonly path: string;
  /** The repository and revision as messages name them. */
  readonly name: string;
}

/**
 * Reads a module from git's objects. Nothing is checked out, so no hook, filter or link of it takes
 * effect.
 * Undefined if the copy in the cache is damaged.
 */
export async function readModule(
  { directory, commit, path, name }: ModuleLocation,
  environment: Environment,
): Promise<ModuleContent | UnplacedProblem | undefined> {
  const repository = toRepository(directory, { directory, environment, bare: true });
  const listing = await repository.listing(commit).catch(ignoreUserError);
  if (listing === undefined) return undefined;
  const { end } = followLinks(path, (link) => listing.links.get(link));
  if (end === undefined) {
    return {
      code: "path-outside-repository",
      what: `"${path}" leads outside ${name}`,
      fix: "Use a directory of the repository",
    };
  }
  try {
    const entries = listCueFiles(end, listing);
    if (!entries.has(moduleFile)) return noModule(name, path, listing);
    const files = await repository.readEntries(commit, entries);
    const isWhole = [...entries].every(([file, entry]) => !entry.object || files.has(file));
    if (!isWhole) return undefined;
    const embedded = await readEmbedded(repository, commit, end, files, listing);
    return { files, embedded, hash: contentHash(files, embedded) };
  } catch (error) {
    return readProblem(error, name);
  }
}

const moduleFile = "cue.mod/module.cue";

function ignoreUserError(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
  return undefined;
}

function readProblem(error: unknown, name: string): UnplacedProblem {
  const [problem] = error instanceof UserError ? error.problems : [];
  if (problem === undefined) throw error;
  const { where: _, ...rest } = problem;
  const why = [problem.what, problem.why].filter((text) => text !== undefined).join(". ");
  return { ...rest, what: `${name} can't be read`, why };
}

/** The maximum number of modules in a message. More would hide the fix. */
const maxNamed = 5;

function noModule(name: string, path: string, { entries }: CommitListing): UnplacedProblem {
  const where = path === "" ? "at its root" : `in the directory "${path}"`;
  const missing = {
    code: "module-file-missing",
    what: `${name} has no CUE module ${where}`,
    why: `It has no file ${moduleFile} there`,
  } as const;
  const modules = entries
    .filter((entry) => entry.path.endsWith(`/${moduleFile}`))
    .map((entry) => entry.path.slice(0, -moduleFile.length - 1))
    .slice(0, maxNamed);
  const root = entries.some((entry) => entry.path === moduleFile);
  if (modules.length === 0 && !root) {
    const fix = "Use a repository that contains adapters";
    return { ...missing, fix, otherwise: [`add ${moduleFile} to this repository`] };
  }
  const found = [...(root ? ["its root"] : []), ...modules].join(", ");
  const fix =
    modules[0] === undefined
      ? "Remove path to use the module at the root"
      : `Set the path of a module: remote: {repo: …, revision: …, path: ${modules[0]}}`;
  return { ...missing, facts: [{ label: "modules", value: found }], fix };
}

/**
 * Returns the content hash of a module for the lockfile: `sha256:` and the SHA-256 of a list of
 * lines, in hex.
 * The list has one line for each file whose name ends in `.cue`. This includes
 * `cue.mod/module.cue`, vendored files below `cue.mod`, and `cue.mod` directories of modules within
 * the module. The list also has one line for each other file that an `@embed` in these files names,
 * unless it is too large.
 * A line has the format of `sha256sum`: the SHA-256 of the content, two spaces, the path from the
 * module's root with `/`, and a line feed. The bytes of the path determine the order.
 * The contents are those of git's objects, so settings of line endings and filters don't change
 * them. A link counts as the file that it leads to. A link that leads outside is left out.
 * These commands print the same hash in a clone, if all links stay inside and no CUE file embeds
 * anything:
 * `find -L . -name '*.cue' -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum`
 */
function contentHash(files: ReadonlyMap<string, string>, embedded: EmbeddedFiles): string {
  const contents = new Map<string, string | Uint8Array>(files);
  for (const [path, content] of embedded) if (isRead(content)) contents.set(path, content);
  const lines = [...contents.keys()].sort(byBytes).map((path) => {
    return `${sha256(contents.get(path) ?? "")}  ${path}\n`;
  });
  return `sha256:${sha256(lines.join(""))}`;
}

/**
 * Compares two paths by their bytes. The order is the same on every machine, because it depends on
 * no language.
 */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isRead(content: Uint8Array | string): content is Uint8Array {
  return typeof content !== "string";
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
