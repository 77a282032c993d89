import { buffer } from "node:stream/consumers";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { RepositoryName, RestClient } from "./client.ts";
import type { WorkflowRunEvent } from "./event.ts";
import type { PlanText } from "./report-files.ts";

/**
 * Returns the numbers of the open pull requests of a run, by GitHub's current state. Their tip is
 * still the commit of the run.
 * The event itself doesn't name the pull requests of a fork.
 */
export async function findOpenPullRequests(
  { rest }: RestClient,
  repository: RepositoryName,
  { headSha, headBranch, headRepository }: WorkflowRunEvent,
): Promise<readonly number[]> {
  if (headRepository === undefined || headBranch === "") return [];
  const [owner] = headRepository.split("/");
  const { data } = await rest.pulls.list({
    ...repository,
    state: "open",
    head: `${owner}:${headBranch}`,
    per_page: 100,
  });
  const own = `${repository.owner}/${repository.repo}`;
  return data
    .filter(
      ({ head, base }) =>
        head.sha === headSha &&
        head.repo?.full_name === headRepository &&
        base.repo.full_name === own,
    )
    .map(({ number }) => number);
}

/** The branch of a pull request and its current commit. */
export interface PullRequestBranch {
  readonly head: string;
  readonly branch: string;
  /** The repository of the branch as `owner/name`; undefined if it was deleted. */
  readonly from: string | undefined;
}

/** Returns whether a pull request is open now, and its branch. */
export async function currentPull(
  { rest }: RestClient,
  repository: RepositoryName,
  number: number,
): Promise<PullRequestBranch & { readonly isOpen: boolean }> {
  const { data } = await rest.pulls.get({ ...repository, pull_number: number });
  const { sha: head, ref: branch, repo } = data.head;
  return { isOpen: data.state === "open", head, branch, from: repo?.full_name };
}

/**
 * Reports whether a commit has a file; undefined if GitHub doesn't answer. It reads one directory
 * after the other, because the list of all files might be too long.
 */
export async function hasFile(
  { rest }: RestClient,
  repository: RepositoryName,
  commit: string,
  path: string,
): Promise<boolean | undefined> {
  let found = { type: "tree", sha: commit };
  try {
    for (const name of path.split("/")) {
      if (found.type !== "tree") return false;
      const { data } = await rest.git.getTree({ ...repository, tree_sha: found.sha });
      const entry = data.tree.find((each) => each.path === name);
      if (entry === undefined) return false;
      found = entry;
    }
  } catch {
    return undefined;
  }
  return found.type === "blob";
}

/**
 * The names of artifacts in the workflows of qvs. They have a suffix if each of several jobs leaves
 * one.
 */
const planArtifact = /^qvs-plan(-[\w.-]{1,100})?$/;
/**
 * The maximum size of one artifact. GitHub packs uploads, so a plan of thousands of objects has a
 * few MiB.
 */
const maxArtifactBytes = 16 << 20;
const maxTotalBytes = 64 << 20;
const maxArtifacts = 300;
const perPage = 100;

/** Returns the texts of all plans that a run left, which can be from an untrusted source. */
export async function readPlanArtifacts(
  { rest }: RestClient,
  repository: RepositoryName,
  run: number,
): Promise<readonly PlanText[]> {
  const found = await listPlanArtifacts({ rest }, repository, run);
  const large = found.find(({ size_in_bytes: bytes }) => bytes > maxArtifactBytes);
  if (large !== undefined)
    throw tooMuch(`The compressed artifact ${large.name} is`, maxArtifactBytes);
  const bytes = found.reduce((sum, each) => sum + each.size_in_bytes, 0);
  if (bytes > maxTotalBytes) throw tooMuch("The compressed plans of the run are", maxTotalBytes);
  const texts: PlanText[] = [];
  // Reads one archive at a time, so that only one is in memory.
  for (const { id, name } of found) {
    const asked = { ...repository, artifact_id: id, archive_format: "zip" };
    const { data } = await rest.actions.downloadArtifact(asked);
    if (!(data instanceof ArrayBuffer)) throw noArchive(name);
    texts.push(...(await readArchive(new Uint8Array(data), name)));
  }
  return texts;
}

/** Returns the newest artifact of each name. A run that a user restarts leaves another one. */
async function listPlanArtifacts({ rest }: RestClient, repository: RepositoryName, run: number) {
  const all = [];
  for (let page = 1; page <= maxArtifacts / perPage + 1; page += 1) {
    const asked = { ...repository, run_id: run, per_page: perPage, page };
    const { data } = await rest.actions.listWorkflowRunArtifacts(asked);
    all.push(...data.artifacts.filter(({ name, expired }) => !expired && planArtifact.test(name)));
    if (data.artifacts.length < perPage) break;
  }
  if (all.length > maxArtifacts) {
    throw userError(
      "plan-file-rejected",
      `The run uploaded more than ${maxArtifacts} plans`,
      "Plan several deployments in one job",
    );
  }
  const newest = new Map(all.toSorted((a, b) => a.id - b.id).map((each) => [each.name, each]));
  return [...newest.values()];
}

function tooMuch(what: string, limit: number) {
  return userError(
    "plan-file-rejected",
    `${what} larger than ${limit >> 20} MiB`,
    "Read the full plan in the run's own summary",
  );
}

function noArchive(name: string) {
  return new UserError([
    {
      code: "plan-file-rejected",
      where: [],
      what: `The artifact ${name} isn't an archive`,
      fix: "Upload it with `archive: true`, the default of actions/upload-artifact",
    },
  ]);
}

/** Limits that an archive of qvs never reaches, because it contains one file. */
interface ArchiveLimits {
  readonly entries: number;
  /** The maximum size of all files together, unpacked. */
  readonly bytes: number;
}

const defaultLimits: ArchiveLimits = { entries: 16, bytes: 64 << 20 };

/**
 * Returns the JSON files in a zip archive from an untrusted source, with their names. It writes
 * nothing to disk.
 * An archive of qvs contains only plain files with a plain name that ends in `.json`. An archive
 * with any other entry is rejected. `name` is the name of the archive.
 */
export async function readArchive(
  bytes: Uint8Array,
  name: string,
  limits: ArchiveLimits = defaultLimits,
): Promise<readonly PlanText[]> {
  try {
    // `strictFileNames` rejects a backslash. The library always rejects names that lead out of a
    // directory.
    const archive = await fromBufferPromise(Buffer.from(bytes), { strictFileNames: true });
    if (archive.entryCount > limits.entries) {
      throw refused(
        name,
        `It has ${archive.entryCount} entries, and at most ${limits.entries} are allowed`,
      );
    }
    const entries = await Array.fromAsync(archive.eachEntry());
    const violation =
      entries.map(entryViolation).find((each) => each !== undefined) ??
      archiveViolation(entries, limits);
    if (violation !== undefined) throw refused(name, violation);
    return await Array.fromAsync(entries, (entry) => readEntry(archive, entry, name));
  } catch (error) {
    throw isUserError(error) ? error : refused(name, error instanceof Error ? error.message : "");
  }
}

const typeMask = 0o170_000;
const plainFile = 0o100_000;

function entryViolation(entry: Entry): string | undefined {
  // The lower half has the attributes of DOS. In the upper half, systems like Unix store the type
  // of the file, and other systems store zero.
  const type = (entry.externalFileAttributes >>> 16) & typeMask;
  if (type !== 0 && type !== plainFile) return "An entry is a link, a directory or a device";
  if (entry.isEncrypted()) return "An entry is encrypted";
  if (!/^[\w-][\w.-]{0,200}\.json$/.test(entry.fileName)) {
    return "An entry isn't a file with a name that ends in .json";
  }
  return undefined;
}

function archiveViolation(entries: readonly Entry[], limits: ArchiveLimits): string | undefined {
  const names = new Set(entries.map(({ fileName }) => fileName.toLowerCase()));
  if (names.size < entries.length) return "Two entries have the same name";
  const bytes = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (bytes <= limits.bytes) return undefined;
  return `Unpacked, it has ${bytes} bytes, and at most ${limits.bytes} are allowed`;
}

/** Reads one entry. The reader fails as soon as the content is larger than the entry declares. */
async function readEntry(archive: ZipFile, entry: Entry, name: string): Promise<PlanText> {
  const content = await buffer(await archive.openReadStreamPromise(entry));
  return { file: `${name}/${entry.fileName}`, text: decode(content) };
}

function decode(content: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(content);
}

function isUserError(error: unknown): error is UserError {
  return error instanceof Error && "problems" in error;
}

function refused(name: string, why: string): UserError {
  return new UserError([
    {
      code: "plan-file-rejected",
      where: [],
      what: `The artifact ${name} can't be used`,
      why,
      fix: "Upload the file in the output plan-path unchanged, with the workflow plan.yml of the same release",
    },
  ]);
}
