import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { digest } from "./request-key.ts";
import { isOurs, makeFolder, pruneFolder, writeWhole } from "./store-folder.ts";

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
  let usable: Promise<boolean> | undefined;
  let wrote = false;
  const isUsable = () => {
    usable ??= makeFolder(folder).then((made) => made && isOurs(folder));
    return usable;
  };
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
