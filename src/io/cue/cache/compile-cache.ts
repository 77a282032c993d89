import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { isObject, type Json } from "../../../model/json.ts";
import { lazily } from "../../../model/lazily.ts";
import type { Compilation } from "../../../model/sources/compilation.ts";
import type { BoundParam, Config } from "../../../model/sources/config.ts";
import type { CompileRequest } from "../../../ports/cue.ts";
import { isSensitiveName } from "../../../redaction/sensitive-name.ts";
import { secretSources } from "../../../redaction/sensitive-object.ts";
import { isSensitiveValue } from "../../../redaction/sensitive-values.ts";
import { setExpectsCacheHits } from "../cache-expectation.ts";
import { currentAnswers, type FileQuestion, type InputsRead } from "../inputs-read.ts";
import { digest, openSealedStore } from "./sealed-store.ts";

/** Compilations that earlier runs left in a directory. The cache contains no failures. */
export interface CompileCache {
  find(key: string, request: CompileRequest): Promise<Compilation | undefined>;
  add(key: string, request: CompileRequest, result: CachedResult): Promise<void>;
  close(): Promise<void>;
}

/**
 * The maximum number of question sets per request: enough for the branches that a developer
 * switches between.
 */
const maxIndexed = 4;

/**
 * Opens the compilation cache of a directory.
 * A lookup has two steps, because the inputs of a compilation are known only at its end. The
 * request leads to the questions that earlier compilations asked about the files. The questions
 * with the current answers lead to the result.
 * `program` lists the files that produce results: another engine or compile stage finds nothing.
 */
export function openCompileCache(folder: string, program: readonly URL[]): CompileCache {
  const store = openSealedStore(folder);
  const answers = { found: 0, missed: 0 };
  const identity = lazily(() => identify(program));
  const hashInputs = async (...texts: readonly string[]) => digest(await identity(), ...texts);
  const indexed = async (key: string): Promise<readonly (readonly FileQuestion[])[]> =>
    read(await store.read(await hashInputs("index", key))) ?? [];
  const resultInputs = (key: string, questions: readonly FileQuestion[], answers: string) =>
    hashInputs("result", key, JSON.stringify(questions), answers);
  const search = async (key: string, { modules }: CompileRequest) => {
    for (const questions of await indexed(key)) {
      const now = currentAnswers(questions, modules);
      const found = await store.read(await resultInputs(key, questions, now));
      const compilation = read<Compilation>(found);
      if (compilation !== undefined) return compilation;
    }
    return undefined;
  };
  return {
    async find(key, request) {
      const found = isCacheable(request.config) ? await search(key, request) : undefined;
      answers[found === undefined ? "missed" : "found"] += 1;
      return found;
    },
    async add(key, { config }, { inputsRead: { questions, answers }, compilation }) {
      if (!isCacheable(config)) return;
      await store.write(await resultInputs(key, questions, answers), serialize(compilation));
      const others = (await indexed(key)).filter((each) => !sameQuestions(each, questions));
      const index = [questions, ...others].slice(0, maxIndexed);
      await store.write(await hashInputs("index", key), serialize(index));
    },
    async close() {
      const { found, missed } = answers;
      if (found + missed > 0) await setExpectsCacheHits(folder, missed === 0);
      await store.prune();
    },
  };
}

/**
 * Reports whether no one can guess the inputs of a compilation.
 * Someone with the repository and the cache could try parameter values until an entry decrypts. qvs
 * therefore caches nothing if a parameter came from the command line: its value is written nowhere
 * else. The same applies if the name or value of a parameter looks like a secret. A reference
 * `{key, version}` to a secret isn't one.
 */
function isCacheable({ params, designPatterns, inputs = [] }: Config): boolean {
  const references = new Set(params.filter(({ type }) => type === "secret").map((p) => p.name));
  const areReferences = (from: readonly string[]) => from.every((each) => references.has(each));
  const isKnown = ({ name, value, from, inline }: BoundParam) => {
    if (inline === true) return false;
    if (isReference(value) && from.length > 0 && areReferences(from)) return true;
    return !isSensitiveValue(name, value) && !from.some(isSensitiveName);
  };
  return (
    [...designPatterns, ...inputs].every((use) => use.params.every(isKnown)) &&
    inputs.every(({ secretParams = [], objects }) =>
      [secretParams, ...objects.map(secretSources)].every(areReferences),
    )
  );
}

function isReference(value: Json): boolean {
  return isObject(value) && Object.keys(value).every((key) => key === "key" || key === "version");
}

function sameQuestions(a: readonly FileQuestion[], b: readonly FileQuestion[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Deserializes an entry; undefined if it is absent or invalid.
 * Node's format keeps values that JSON drops, so a result from the cache is the same to the byte.
 */
function read<T>(content: Buffer | undefined): T | undefined {
  try {
    return content === undefined ? undefined : (deserialize(content) as T);
  } catch {
    return undefined;
  }
}

async function identify(program: readonly URL[]): Promise<string> {
  const hash = createHash("sha256").update(process.version);
  for (const file of program) {
    const content = await readFile(file);
    hash.update(`${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

interface CachedResult {
  readonly inputsRead: InputsRead;
  readonly compilation: Compilation;
}

/**
 * The compilations of this run. A base commit and its head share most of them, because they differ
 * in few adapters.
 */
interface MemoryCache {
  /** Returns the compilation of the same request from the same files. */
  find(key: string, request: CompileRequest): Compilation | undefined;
  add(key: string, result: CachedResult): void;
}

/**
 * The maximum number of requests, which limits the memory of a long run. A few hundred deployments
 * at two commits fit.
 */
const maxRequests = 1_000;

export function createMemoryCache(): MemoryCache {
  const known = new Map<string, readonly CachedResult[]>();
  return {
    find: (key, { modules }) =>
      known
        .get(key)
        ?.find(
          ({ inputsRead }) => currentAnswers(inputsRead.questions, modules) === inputsRead.answers,
        )?.compilation,
    add(key, result) {
      known.set(key, [...(known.get(key) ?? []), result].slice(-3));
      const oldest = known.size > maxRequests ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
    },
  };
}
