import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import type { Compilation } from "../../../model/compilation.ts";
import type { Config } from "../../../model/config.ts";
import { isObject, type Json } from "../../../model/json.ts";
import { lazily } from "../../../model/lazily.ts";
import type { CompileRequest } from "../../../ports/cue.ts";
import { looksSecret } from "../../../redaction/looks-secret.ts";
import { holdsSecret } from "../../../redaction/secrets-within.ts";
import { setExpectsCacheHits } from "../cache-expectation.ts";
import { currentAnswers, type Question } from "../inputs-read.ts";
import type { CachedResult } from "../memory-cache.ts";
import { digest } from "./request-key.ts";
import { openSealedStore } from "./sealed-store.ts";

/** Compilations that earlier runs have left in a folder. Failures are not kept. */
export interface CompileCache {
  find(key: string, request: CompileRequest): Promise<Compilation | undefined>;
  add(key: string, request: CompileRequest, result: CachedResult): Promise<void>;
  close(): Promise<void>;
}

/** Sets of questions that are kept for one request: those of some branches that a developer goes back and forth between. */
const mostIndexed = 4;

/**
 * Two steps, because what a compilation reads is known only when it is done: the request leads to the questions that were
 * asked about the files, and those with the present answers lead to the result. `program` are the files that make
 * results: another engine or compile stage finds nothing.
 */
export function openCompileCache(folder: string, program: readonly URL[]): CompileCache {
  const store = openSealedStore(folder);
  const answers = { found: 0, missed: 0 };
  const identity = lazily(() => identify(program));
  const inputsOf = async (...texts: readonly string[]) => digest(await identity(), ...texts);
  const indexed = async (key: string): Promise<readonly (readonly Question[])[]> =>
    read(await store.read(await inputsOf("index", key))) ?? [];
  const resultInputs = (key: string, questions: readonly Question[], answers: string) =>
    inputsOf("result", key, JSON.stringify(questions), answers);
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
      const found = mayBeKept(request.config) ? await search(key, request) : undefined;
      answers[found === undefined ? "missed" : "found"] += 1;
      return found;
    },
    async add(key, { config }, { inputsRead: { questions, answers }, compilation }) {
      if (!mayBeKept(config)) return;
      await store.write(await resultInputs(key, questions, answers), serialize(compilation));
      const others = (await indexed(key)).filter((each) => !sameQuestions(each, questions));
      const index = [questions, ...others].slice(0, mostIndexed);
      await store.write(await inputsOf("index", key), serialize(index));
    },
    async close() {
      const { found, missed } = answers;
      if (found + missed > 0) await setExpectsCacheHits(folder, missed === 0);
      await store.prune();
    },
  };
}

/**
 * Whether the input of a compilation cannot be guessed. Who has the repository and the cache could try values of a param
 * one after the other until an entry opens: so nothing is kept where a param came from the command line, where values are
 * that are written nowhere, or looks like a secret by its name. A reference `{key, version}` to a secret is none.
 */
function mayBeKept({ params, designPatterns }: Config): boolean {
  const references = new Set(params.filter(({ type }) => type === "secret").map((p) => p.name));
  return designPatterns.every((use) =>
    use.params.every(({ name, value, from, inline }) => {
      if (inline === true) return false;
      if (isReference(value) && from.length > 0 && from.every((each) => references.has(each)))
        return true;
      return !holdsSecret(name, value) && !from.some(looksSecret);
    }),
  );
}

function isReference(value: Json): boolean {
  return isObject(value) && Object.keys(value).every((key) => key === "key" || key === "version");
}

function sameQuestions(a: readonly Question[], b: readonly Question[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Node's own form of values keeps what JSON drops, so that a result read back is the same to the byte. */
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
