import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { lazily } from "../../../model/lazily.ts";
import type { CompileRequest } from "../../../ports/cue.ts";

/**
 * Encrypted entries in a directory that users can copy to other machines.
 * The name and key of an entry derive from all inputs of its content. Someone with the directory
 * but without the inputs can't read names or contents. qvs ignores an entry that is truncated,
 * altered, or moved to another name. Someone with the inputs can forge an entry with any content.
 */
interface SealedStore {
  /**
   * Returns the content, or undefined. `inputs` is a SHA-256 of everything that the content depends
   * on.
   */
  read(inputs: string): Promise<Buffer | undefined>;
  /**
   * Writes an entry. Does nothing if the directory isn't writable, because the cache is optional.
   */
  write(inputs: string, content: Uint8Array): Promise<void>;
  /** Removes the least recently used entries, if this run wrote an entry and a prune is due. */
  prune(): Promise<void>;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** The maximum size of an unpacked entry. No compilation produces a larger one. */
const maxContentBytes = 256 * 1024 * 1024;

export function openSealedStore(folder: string): SealedStore {
  let wrote = false;
  const isUsable = lazily(() =>
    makeFolder(folder).then((made) => made && isPrivateDirectory(folder)),
  );
  return {
    async read(inputs) {
      const file = join(folder, entryName(inputs));
      const sealed = (await isUsable()) ? await readFile(file).catch(() => undefined) : undefined;
      const content = sealed === undefined ? undefined : unseal(sealed, inputs);
      // The age of an entry counts from its last use.
      if (content !== undefined) await utimes(file, new Date(), new Date()).catch(() => {});
      return content;
    },
    async write(inputs, content) {
      if (!(await isUsable())) return;
      await writeAtomically(folder, entryName(inputs), seal(content, inputs));
      wrote = true;
    },
    async prune() {
      if (wrote) await pruneFolder(folder);
    },
  };
}

/** Returns the file name of an entry. It is a hash, so it doesn't reveal the key. */
function entryName(inputs: string): string {
  return digest("name of an entry", inputs);
}

function entryKey(inputs: string): Buffer {
  return Buffer.from(digest("key of an entry", inputs), "hex");
}

/**
 * Returns the nonce, the tag and the encrypted gzip data. The nonce is random, because an index
 * changes under the same key.
 */
function seal(content: Uint8Array, inputs: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, entryKey(inputs), nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(entryName(inputs)));
  const encrypted = Buffer.concat([cipher.update(gzipSync(content)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

function unseal(sealed: Buffer, inputs: string): Buffer | undefined {
  try {
    const nonce = sealed.subarray(0, nonceBytes);
    const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
    const cipher = createDecipheriv(algorithm, entryKey(inputs), nonce, {
      authTagLength: tagBytes,
    });
    cipher.setAAD(Buffer.from(entryName(inputs))).setAuthTag(tag);
    const encrypted = sealed.subarray(nonceBytes + tagBytes);
    const packed = Buffer.concat([cipher.update(encrypted), cipher.final()]);
    return gunzipSync(packed, { maxOutputLength: maxContentBytes });
  } catch {
    return undefined;
  }
}

const day = 24 * 60 * 60 * 1000;
/** The maximum age since the last use. Older entries belong to outdated adapters and parameters. */
const maxAge = 30 * day;
/** The maximum size of all entries. A compilation has a few kilobytes, so tens of thousands fit. */
const maxBytes = 256 * 1024 * 1024;
/**
 * The minimum time between two prunes. Listing the directory takes longer than one cache hit saves.
 */
const pruneEvery = day / 24;
const pruned = "pruned";
/** Matches the names of entries (a digest) and of drafts. */
const isEntry = /^([0-9a-f]{64}|draft-.*)$/;

async function makeFolder(folder: string): Promise<boolean> {
  return mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
}

/**
 * Reports whether only the current user can write to the directory. On a shared machine, another
 * user could otherwise forge the results that qvs shows.
 */
async function isPrivateDirectory(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const ownUser = process.getuid === undefined || found.uid === process.getuid();
  return ownUser && (found.mode & 0o022) === 0;
}

/** Writes a file atomically, even if several runs write it at the same time. */
async function writeAtomically(folder: string, name: string, content: Buffer): Promise<void> {
  const draft = join(folder, `draft-${randomUUID()}`);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, join(folder, name));
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/**
 * Removes entries that were unused for a month, and beyond 256 MB the least recently used ones.
 * Works at most once an hour.
 */
export async function pruneFolder(folder: string, now: number = Date.now()): Promise<void> {
  const marker = join(folder, pruned);
  const last = await stat(marker).catch(() => undefined);
  if (last !== undefined && now - last.mtimeMs < pruneEvery) return;
  await writeFile(marker, "").catch(() => {});
  await utimes(marker, now / 1000, now / 1000).catch(() => {});
  let bytes = 0;
  for (const { file, age, size } of await listEntries(folder, now)) {
    bytes += size;
    if (age > maxAge || bytes > maxBytes) await rm(file, { force: true }).catch(() => {});
  }
}

/** Returns the entries of the directory, the most recently used first. */
async function listEntries(folder: string, now: number) {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => isEntry.test(name)).map((name) => join(folder, name));
  const found = await Promise.all(
    files.map(async (file) => {
      const { mtimeMs, size } = await stat(file).catch(() => ({ mtimeMs: now, size: 0 }));
      return { file, age: now - mtimeMs, size };
    }),
  );
  return found.sort((a, b) => a.age - b.age);
}

/**
 * Returns the SHA-256 of a request without its files, in hex. It covers the bound config with all
 * places, the display names of the modules, and the options.
 */
export function requestKey({ config, modules, ...options }: CompileRequest): string {
  const { trace = false, check = false, kubernetes = "", definitions = [] } = options;
  const { lacksCharts = false } = options;
  const names = modules.map(({ display }) => display);
  return digest(
    "request",
    ...[config, names, trace, check, kubernetes, definitions, lacksCharts].map((each) =>
      JSON.stringify(each),
    ),
  );
}

/** Returns the SHA-256 of a list of strings, in hex. No two lists have the same encoding. */
export function digest(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
