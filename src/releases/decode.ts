import * as v from "valibot";
import { deepestNesting, type Json, nestsTooDeep, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { failed, ok, type Problem, problemsOf, type Result } from "../model/problem.ts";
import {
  type Release,
  type ReleaseSource,
  releaseFormat,
  releaseSecretType,
} from "../model/release.ts";
import { parseReleaseName, releaseName } from "./release-names.ts";
import { releaseContent, releaseState } from "./release-schema.ts";

/** Throws on bytes that it can't read or that grow beyond all reason; that becomes a problem here. */
export type Decompress = (bytes: Uint8Array) => string;

/**
 * The releases of a deployment from the Secrets of its namespace, newest first. Secrets that are not ours and parts
 * without their release are passed over, and so is a release on its way out, whose parts may have gone already; a record
 * that can't be read is a problem, since the inventory may be in it.
 */
export function decodeReleases(
  deployment: string,
  secrets: readonly KubeObject[],
  decompress: Decompress,
): Result<readonly Release[]> {
  const bounded = withinBound(decompress);
  const named = secrets
    .map((secret) => ({ secret, name: parseReleaseName(secret) }))
    .filter(({ name }) => name?.deployment === deployment);
  const own = named.filter(({ secret }) => secret.type === releaseSecretType);
  const results = own
    .filter(({ secret, name }) => name?.part === 0 && !isBeingDeleted(secret))
    .toSorted((a, b) => (b.name?.revision ?? 0) - (a.name?.revision ?? 0))
    .map(({ secret, name }) => {
      const parts = own
        .filter((other) => other.name?.revision === name?.revision && other.name?.part !== 0)
        .toSorted((a, b) => (a.name?.part ?? 0) - (b.name?.part ?? 0));
      return decodeRelease(
        secret,
        parts.map((part) => part.secret),
        bounded,
      );
    });
  const newer = named.filter(({ secret, name }) => name?.part === 0 && isNewer(secret));
  const problems = [
    ...newer.map(({ secret }) => newerFormat(nameOf(secret), textAt(secret, "type") ?? "")),
    ...results.flatMap(problemsOf),
  ];
  if (problems.length > 0) return failed(problems);
  return ok(results.flatMap((result) => (result.ok ? [result.value] : [])));
}

/** A later version may write records of another type. What they say was deployed must not be forgotten. */
function isNewer(secret: KubeObject): boolean {
  const type = textAt(secret, "type") ?? "";
  const [, format] = /^vs\.axis-dev\.io\/release\.v(\d+)$/.exec(type) ?? [];
  return Number(format ?? 0) > releaseFormat;
}

function newerFormat(name: string, format: string): Problem {
  return {
    code: "release-record-unreadable",
    what: `Release ${name} is written in format ${format}, which this version can't read`,
    fix: "Use the version of qvs that recorded it, or a newer one",
    where: [],
  };
}

function nameOf(secret: KubeObject): string {
  return textAt(secret, "metadata", "name") ?? "";
}

/** It stays for a moment after it was pruned, and its parts may go first. */
export function isBeingDeleted(secret: KubeObject): boolean {
  return secret.metadata.deletionTimestamp !== undefined;
}

/** One release from its Secret and the parts that belong to it, in their order. */
function decodeRelease(
  head: KubeObject,
  parts: readonly KubeObject[],
  decompress: Decompress,
): Result<Release> {
  try {
    return ok(readRelease(head, parts, decompress));
  } catch (error) {
    if (error instanceof Unreadable) return failed([error.problem]);
    throw error;
  }
}

/** Thrown only within this file: reading stops at the first thing that is wrong with a record. */
class Unreadable extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.what);
    this.problem = problem;
  }
}

function readRelease(
  head: KubeObject,
  parts: readonly KubeObject[],
  decompress: Decompress,
): Release {
  const name = nameOf(head);
  const expected = Number(String.fromCharCode(...bytesOf(name, head, "parts").slice(0, 8)));
  if (expected !== parts.length) {
    throw unreadable(name, `${parts.length} of its ${expected} parts are there`);
  }
  const chunks = [head, ...parts].map((secret) => bytesOf(name, secret, "content"));
  const content = check(name, releaseContent, jsonOf(name, joined(chunks), decompress));
  const state = check(name, releaseState, jsonOf(name, bytesOf(name, head, "state"), decompress));
  if (releaseName(content.deployment, content.revision) !== name) {
    throw unreadable(
      name,
      `it says that it is ${releaseName(content.deployment, content.revision)}`,
    );
  }
  const { rollbackOf, source, layout } = content;
  const { lastSeen } = state;
  return {
    ...content,
    ...state,
    rollbackOf,
    layout,
    source: { ...source, ...whoAndWhat(source) },
    finishedAt: state.finishedAt,
    lastSeen: lastSeen && { ...lastSeen, ...whoAndWhat(lastSeen) },
  };
}

/** What old records, and runs outside of git or GitHub, leave out. */
function whoAndWhat({ commit, actor, run }: Partial<ReleaseSource>) {
  return { commit, actor, run };
}

function check<S extends v.GenericSchema>(name: string, schema: S, value: Json): v.InferOutput<S> {
  const format = numberAt(value, "format");
  if (format !== undefined && format > releaseFormat) {
    throw new Unreadable(newerFormat(name, String(format)));
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  throw unreadable(name, `${v.getDotPath(issue) ?? "it"} isn't what a release holds there`);
}

function unreadable(name: string, why: string): Unreadable {
  return new Unreadable({
    code: "release-record-unreadable",
    what: `Release ${name} can't be read: ${why}`,
    fix: `Restore the Secret ${name}, or delete it with its parts if what it deployed may be forgotten`,
    where: [],
  });
}

function jsonOf(name: string, bytes: Uint8Array, decompress: Decompress): Json {
  try {
    const text = decompress(bytes);
    // Whoever may write Secrets can have put it there; what is read of it is walked by functions that call themselves.
    if (nestsTooDeep(text)) throw unreadable(name, `it nests deeper than ${deepestNesting} levels`);
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (error instanceof TooMuch) throw unreadable(name, error.message);
    throw unreadable(name, "it can't be decompressed, or isn't JSON");
  }
}

/** What all records of a deployment may unpack to, in characters. A large one has some 20 MB. */
const mostOfAll = 512 * 1024 * 1024;

class TooMuch extends Error {}

/** Each record is bounded by whoever decompresses it, but there may be any number of them. */
function withinBound(decompress: Decompress): Decompress {
  let left = mostOfAll;
  return (bytes) => {
    const text = left > 0 ? decompress(bytes) : "";
    left -= text.length;
    if (left > 0) return text;
    throw new TooMuch(`it and the newer ones unpack to more than ${mostOfAll / 1024 ** 2} MiB`);
  };
}

function bytesOf(name: string, secret: KubeObject, field: string): Uint8Array {
  try {
    const text = atob(textAt(secret, "data", field) ?? "");
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    throw unreadable(name, `data.${field} isn't base64`);
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let start = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, start);
    start += chunk.length;
  }
  return bytes;
}
