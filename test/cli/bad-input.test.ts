import { afterAll, describe, expect, test } from "vitest";
import { startCompiler } from "../../src/start-compiler.ts";
import { runQvs } from "../support/run-qvs.ts";
import { temporaryRepository } from "../support/temporary-repository.ts";
import { compile, config, type Fault } from "./fault.ts";
import { faultsAround } from "./faults-around.ts";
import { faultsInAdapters } from "./faults-in-adapters.ts";
import { faultsInConfig } from "./faults-in-config.ts";
import { faultsInFlags } from "./faults-in-flags.ts";
import { runHere } from "./run-here.ts";
import { shopFiles } from "./shop-files.ts";

/**
 * A gallery of what users do wrong, with every word that they read: the place, what is wrong, and the cure; nothing on
 * stdout, nothing changed, and never a word that only CUE's authors understand.
 */
const compiler = startCompiler();
afterAll(() => compiler.close());

async function check({ files, edits = [], args = compile, says }: Fault): Promise<void> {
  const repository = temporaryRepository({ ...shopFiles, ...files });
  for (const [file, from, to] of edits) repository.change(file, from, to);
  const { code, stdout, stderr } = await runHere(repository.directory, args, compiler);
  expect(`\n${stderr.replaceAll(repository.directory, "DIR")}`).toBe(says);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
}

describe("refuses, in the config and its params,", () => {
  test.each(faultsInConfig)("$name", check);
});

describe("refuses, in adapters,", () => {
  test.each(faultsInAdapters)("$name", check);
});

describe("refuses, around them,", () => {
  test.each(faultsAround)("$name", check);
});

describe("refuses, on the command line,", () => {
  test.each(faultsInFlags)("$name", check);
});

test("the shop itself has no fault", async () => {
  const { directory } = temporaryRepository(shopFiles);
  const { code, stdout, stderr } = await runHere(directory, compile, compiler);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("\n  replicas: 2\n");
});

test("a param that the adapter does not declare is a warning, with the name that was probably meant", async () => {
  const repository = temporaryRepository(shopFiles);
  repository.change(config, "      replicas:", "      replica:");
  const { code, stdout, stderr } = await runHere(repository.directory, compile, compiler);
  expect(stderr).toBe(`\
Warning: .valuestream/qvs.yaml:12:16: "shop.example/adapters/web" declares no parameter "replica" (did you mean "replicas"?)
  → Remove "replica", or give it the name that the adapter declares
`);
  expect(code).toBe(0);
  expect(stdout).toContain("\n  replicas: 1\n");
});

describe("the real process", () => {
  const real = [faultsInConfig[0], faultsInAdapters[0], faultsInFlags[0]] as Fault[];
  test.each(real)("refuses $name", async ({ files, edits = [], args = compile, says }) => {
    const repository = temporaryRepository({ ...shopFiles, ...files });
    for (const [file, from, to] of edits) repository.change(file, from, to);
    const { code, stdout, stderr } = await runQvs(repository.directory, args);
    expect({ code, stdout, stderr: `\n${stderr}` }).toEqual({ code: 1, stdout: "", stderr: says });
  });
});
