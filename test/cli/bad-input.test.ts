import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../src/world.ts";
import { runQvs } from "../support/run-qvs.ts";
import { temporaryRepository } from "../support/temporary-repository.ts";
import { runHere } from "./run-here.ts";
import { shopFiles } from "./shop-files.ts";

/** What a user did wrong, and every word that is said about it. */
interface Fault {
  readonly name: string;
  /** [file, what stood there, what stands there now]. */
  readonly edits?: readonly (readonly [keyof typeof shopFiles, string, string])[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly says: string;
}

const config = ".valuestream/qvs.yaml";
const adapter = "adapters/web/main.cue";
const compile = ["compile", "--params", "params.yaml"];
const deploy = ["deploy", "--params", "params.yaml"];

const faults: readonly Fault[] = [
];

const compiler = startCompiler();
afterAll(() => compiler.close());

test.each(faults)("$name", async ({ edits = [], args = compile, env, says }) => {
  const repository = temporaryRepository(shopFiles);
  for (const [file, from, to] of edits) repository.change(file, from, to);
  const { code, stdout, stderr } = await runHere(repository.directory, args, compiler, env);
  expect(stderr).toBe(says);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});
