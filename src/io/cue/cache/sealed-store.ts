import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
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
import { digest } from "./request-key.ts";

/**
 * Entries in a folder that may be copied about, each named and encrypted by all that its content was made from: whoever has
 * the folder but not the input can read nothing in it, and learns no names. An entry that is cut off, altered, or put in
 * another one's place is none. Whoever has the input can make an entry, and what it says need not be true.
 */
export interface SealedStore {
  /** `inputs` is a SHA-256 of everything that the content depends on. */
  read(inputs: string): Promise<Buffer | undefined>;
  /** Does nothing when the folder cannot be written: a cache must not be missed. */
  write(inputs: string, content: Uint8Array): Promise<void>;
  /** Removes what was not used for longest, when something was written and it is time. */
  prune(): Promise<void>;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** An entry that unpacks to more was not made by a compilation. */
const maxContentBytes = 256 * 1024 * 1024;

export function openSealedStore(folder: string): SealedStore {
  let wrote = false;
  const isUsable = lazily(() => makeFolder(folder).then((made) => made && isOurs(folder)));
  return {
    async read(inputs) {
      const file = join(folder, nameFor(inputs));
      const sealed = (await isUsable()) ? await readFile(file).catch(() => undefined) : undefined;
      const content = sealed === undefined ? undefined : unseal(sealed, inputs);
      // Its age counts from its last use.
      if (content !== undefined) await utimes(file, new Date(), new Date()).catch(() => {});
      return content;
    },
    async write(inputs, content) {
      if (!(await isUsable())) return;
      await writeWhole(folder, nameFor(inputs), seal(content, inputs));
      wrote = true;
    },
    async prune() {
      if (wrote) await pruneFolder(folder);
    },
  };
}

/** Told by hash, the name does not give the key away. */
function nameFor(inputs: string): string {
  return digest("name of an entry", inputs);
}

function keyFor(inputs: string): Buffer {
  return Buffer.from(digest("key of an entry", inputs), "hex");
}

/** nonce, tag, encrypted gzip. The nonce is random because an index changes under the same key. */
function seal(content: Uint8Array, inputs: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyFor(inputs), nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(nameFor(inputs)));
  const encrypted = Buffer.concat([cipher.update(gzipSync(content)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

function unseal(sealed: Buffer, inputs: string): Buffer | undefined {
  try {
    const nonce = sealed.subarray(0, nonceBytes);
    const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
    const cipher = createDecipheriv(algorithm, keyFor(inputs), nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(nameFor(inputs))).setAuthTag(tag);
    const encrypted = sealed.subarray(nonceBytes + tagBytes);
    const packed = Buffer.concat([cipher.update(encrypted), cipher.final()]);
    return gunzipSync(packed, { maxOutputLength: maxContentBytes });
  } catch {
    return undefined;
  }
}

const day = 24 * 60 * 60 * 1000;
/** Entries that nobody used for so long belong to adapters and params of the past. */
const maxAge = 30 * day;
/** A compilation is some kilobytes: tens of thousands of them. */
const maxBytes = 256 * 1024 * 1024;
/** Looking through the folder costs more than a compilation saves. */
const pruneEvery = day / 24;
const pruned = "pruned";
/** By a digest, or a draft of one. */
const isEntry = /^([0-9a-f]{64}|draft-.*)$/;

async function makeFolder(folder: string): Promise<boolean> {
  return mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
}

/** Whether nobody else can have put something into it: on a machine with others, they would choose what we show. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const ownUser = process.getuid === undefined || found.uid === process.getuid();
  return ownUser && (found.mode & 0o022) === 0;
}

/** A file appears with all of its content or not at all, however many runs write it at the same time. */
async function writeWhole(folder: string, name: string, content: Buffer): Promise<void> {
  const draft = join(folder, `draft-${randomUUID()}`);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, join(folder, name));
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Removes what was not used for a month, and beyond 256 MB what was not used for longest. At most once an hour. */
export async function pruneFolder(folder: string, now: number = Date.now()): Promise<void> {
  const marker = join(folder, pruned);
  const last = await stat(marker).catch(() => undefined);
  if (last !== undefined && now - last.mtimeMs < pruneEvery) return;
  await writeFile(marker, "").catch(() => {});
  await utimes(marker, now / 1000, now / 1000).catch(() => {});
  let bytes = 0;
  for (const { file, age, size } of await entriesOf(folder, now)) {
    bytes += size;
    if (age > maxAge || bytes > maxBytes) await rm(file, { force: true }).catch(() => {});
  }
}

/** Last used first. */
async function entriesOf(folder: string, now: number) {
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
