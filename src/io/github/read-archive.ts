import { buffer } from "node:stream/consumers";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { UserError } from "../../model/problems/errors.ts";
import type { PlanText } from "./plan-file.ts";

/** Limits that an archive of qvs never reaches, because it contains one file. */
export interface ArchiveLimits {
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
