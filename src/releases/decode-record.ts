import * as v from "valibot";
import {
  type InventoryEntry,
  type Release,
  type ReleaseSource,
  releaseFormat,
} from "../model/deployments/release.ts";
import { deepestNesting, exceedsMaxNesting, type Json, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Problem } from "../model/problems/problem.ts";
import { bytesOfBase64 } from "../model/text/base64.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { crc32 } from "./encode.ts";
import { addDeclared } from "./inventory.ts";
import { parseReleaseName, releaseName } from "./release-names.ts";
import { inventoryEntry, releaseContent, releaseState } from "./release-schema.ts";

/** Decompresses bytes. Throws if they are unreadable or too large, which becomes a problem here. */
export type Decompress = (bytes: Uint8Array) => string;

type DecodedRecord =
  | { readonly state: "read"; readonly release: Release }
  | { readonly state: "newer" | "unreadable"; readonly problem: Problem };

/** Decodes one release from its head Secret and its parts, in their order. */
export function decodeRecord(
  head: KubeObject,
  parts: readonly KubeObject[],
  decompress: Decompress,
): DecodedRecord {
  try {
    return { state: "read", release: readRelease(head, parts, decompress) };
  } catch (error) {
    if (error instanceof NewerFormatError) return { state: "newer", problem: error.problem };
    if (error instanceof UnreadableError) return { state: "unreadable", problem: error.problem };
    throw error;
  }
}

/** An error that stops the decoding at the first fault of a record. Thrown only in this file. */
class UnreadableError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.what);
    this.problem = problem;
  }
}

class NewerFormatError extends UnreadableError {}

function readRelease(
  head: KubeObject,
  parts: readonly KubeObject[],
  decompress: Decompress,
): Release {
  const name = secretName(head);
  const expected = Number(String.fromCharCode(...decodeField(name, head, "parts").slice(0, 8)));
  if (expected !== parts.length) {
    throw unreadable(name, missingPartsText(expected, parts));
  }
  const chunks = [head, ...parts].map((secret) => decodeField(name, secret, "content"));
  const found = () => parseContent(name, concatenate(chunks), decompress);
  const content = validate(name, releaseContent, nameDamagedSecrets(found, name, head, parts));
  const state = validate(
    name,
    releaseState,
    parseContent(name, decodeField(name, head, "state"), decompress),
  );
  if (releaseName(content.deployment, content.revision) !== name) {
    throw unreadable(
      name,
      `Its content is of release ${releaseName(content.deployment, content.revision)}`,
    );
  }
  const { rollbackOf, source, layout } = content;
  const { lastSeen } = state;
  return {
    ...content,
    ...state,
    inventory: addDeclared(state.inventory, content.expandedConfig, isInventoryEntry),
    rollbackOf,
    layout,
    source: { ...source, ...optionalSourceFields(source) },
    finishedAt: state.finishedAt,
    lastSeen: lastSeen && { ...lastSeen, ...optionalSourceFields(lastSeen) },
  };
}

/**
 * Reports whether an entry is valid.
 * A user can write a manifest into a record with a name that no object in a cluster can have.
 */
function isInventoryEntry(entry: InventoryEntry): boolean {
  return v.is(inventoryEntry, entry);
}

/** Sets the fields that old records and runs outside Git or GitHub leave out. */
function optionalSourceFields({ commit, actor, run }: Partial<ReleaseSource>) {
  return { commit, actor, run };
}

const maxListed = 5;

/** Describes missing parts: `The record has 1 of its 2 parts; part 2 is missing`. */
function missingPartsText(expected: number, parts: readonly KubeObject[]): string {
  const present = new Set(parts.map((part) => parseReleaseName(part)?.part ?? 0));
  const count = Number.isSafeInteger(expected) && expected > 0 ? Math.min(expected, 9999) : 0;
  const missing = Array.from({ length: count }, (_, index) => index + 1)
    .filter((part) => !present.has(part))
    .map((part) => `part ${part}`);
  const is = missing.length === 1 ? "is" : "are";
  const which = missing.length === 0 ? "" : `; ${summarizeList(missing, maxListed)} ${is} missing`;
  return `The record has ${parts.length} of its ${expected} parts${which}`;
}

/**
 * Reads a value. After a failure, the checksums show which Secrets are damaged.
 * They don't decide whether a record is readable, because a newer version might compute other ones.
 */
function nameDamagedSecrets(
  read: () => Json,
  name: string,
  head: KubeObject,
  parts: readonly KubeObject[],
): Json {
  try {
    return read();
  } catch (error) {
    const damaged = error instanceof UnreadableError ? damagedSecrets(name, head, parts) : [];
    if (damaged.length === 0) throw error;
    const contain = damaged.length === 1 ? "doesn't contain" : "don't contain";
    throw unreadable(name, `${summarizeList(damaged, maxListed)} ${contain} the recorded data`);
  }
}

/**
 * Names the Secrets whose content doesn't match the checksums. Empty for old records without any.
 */
function damagedSecrets(
  name: string,
  head: KubeObject,
  parts: readonly KubeObject[],
): readonly string[] {
  const sums = String.fromCharCode(...decodeField(name, head, "checksums").slice(0, 100_000));
  if (sums === "") return [];
  const recorded = sums.split(" ");
  return [head, ...parts].flatMap((secret, index) =>
    crc32(textAt(secret, "data", "content") ?? "") === recorded[index] ? [] : [secretName(secret)],
  );
}

function validate<S extends v.GenericSchema>(
  name: string,
  schema: S,
  value: Json,
): v.InferOutput<S> {
  const format = numberAt(value, "format");
  if (format !== undefined && format > releaseFormat) {
    throw new NewerFormatError(newerFormatProblem(name, String(format)));
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  const path = v.getDotPath(issue);
  throw unreadable(name, path === null ? "It isn't a release" : `The value of ${path} is invalid`);
}

function unreadable(name: string, why: string): UnreadableError {
  return new UnreadableError({
    code: "release-record-unreadable",
    what: `Release ${name} can't be read`,
    why,
    fix: `Restore the Secret ${name}`,
    otherwise: ["delete it with its parts if qvs can forget the objects that it deployed"],
    where: [],
  });
}

/**
 * Returns the problem of a record whose Secret has the type of a later version.
 * Undefined for other records. qvs must not ignore the objects that such a release deployed.
 */
export function newerTypeProblem(secret: KubeObject): Problem | undefined {
  const type = textAt(secret, "type") ?? "";
  const [, format] = /^vs\.axis-dev\.io\/release\.v(\d+)$/.exec(type) ?? [];
  return Number(format ?? 0) > releaseFormat
    ? newerFormatProblem(secretName(secret), type)
    : undefined;
}

function newerFormatProblem(name: string, format: string): Problem {
  return {
    code: "release-record-unreadable",
    what: `Release ${name} has a format that this version can't read`,
    facts: [{ label: "format", value: format }],
    fix: "Use the version of qvs that recorded it, or a newer one",
    where: [],
  };
}

function parseContent(name: string, bytes: Uint8Array, decompress: Decompress): Json {
  try {
    const text = decompress(bytes);
    // Anyone who can write Secrets can write this text, and recursive functions read it.
    if (exceedsMaxNesting(text))
      throw unreadable(name, `It nests deeper than ${deepestNesting} levels`);
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    if (error instanceof SizeLimitError) throw unreadable(name, error.message);
    throw unreadable(name, "It can't be decompressed, or it isn't JSON");
  }
}

/**
 * The maximum size of all unpacked records of a deployment, in characters.
 * A large record has some 20 MB.
 */
const maxTotalSize = 512 * 1024 * 1024;

class SizeLimitError extends Error {}

/**
 * Limits the total size of unpacked records.
 * The decompressor limits each record, but there can be any number of records.
 */
export function limitTotalSize(decompress: Decompress): Decompress {
  let left = maxTotalSize;
  return (bytes) => {
    const text = left > 0 ? decompress(bytes) : "";
    left -= text.length;
    if (left > 0) return text;
    throw new SizeLimitError(
      `It and the newer releases unpack to more than ${maxTotalSize / 1024 ** 2} MiB`,
    );
  };
}

function decodeField(name: string, secret: KubeObject, field: string): Uint8Array {
  try {
    return bytesOfBase64(textAt(secret, "data", field) ?? "");
  } catch {
    throw unreadable(name, `The value of data.${field} isn't Base64`);
  }
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let start = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, start);
    start += chunk.length;
  }
  return bytes;
}

function secretName(secret: KubeObject): string {
  return textAt(secret, "metadata", "name") ?? "";
}
