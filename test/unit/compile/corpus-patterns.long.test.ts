import { afterAll, describe, expect, it } from "vitest";
import { createCompiler } from "../../../src/io/cue/compiler.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import { type Problem, type Result, resultProblems } from "../../../src/model/problems/problem.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import {
  type Expected,
  isAvailable,
  modulePath,
  official,
  possiblePatterns,
  requestFor,
  table,
} from "../../support/corpus/official.ts";
import { describeProblem } from "../../support/describe-problem.ts";

const wasm = new URL("../../../dist/cue.wasm.zst", import.meta.url);

describe.skipIf(!isAvailable)("every DesignPattern of the official corpus", () => {
  const compiler = createCompiler({
    script: new URL("../../../src/compile-worker.ts", import.meta.url),
    wasm,
  });
  afterAll(() => compiler.close());

  it.each(table)("$pattern", async (row) => {
    const request = requestFor(`${modulePath}/${row.pattern}`, row.params ?? {});
    expect(found(await compiler.compile(request))).toEqual(expected(row));
  });

  it("has only known fields of its kinds with the right types, and all required fields", async () => {
    const working = table.filter(({ refused }) => refused === undefined);
    for (const { pattern, params = {} } of working) {
      const checked = { ...requestFor(`${modulePath}/${pattern}`, params), check: true };
      expect(resultProblems(await compiler.compile(checked)), pattern).toEqual([]);
    }
  });

  it("is in the table, and the table has no others", async () => {
    const files = { in: "directory", directory: official } as const;
    const cue = createCue(await loadWasm(wasm), [{ display: "", files }]);
    const patterns = possiblePatterns().filter((path) => {
      const loaded = cue.load(path);
      // A package that doesn't load is also in the table, as refused.
      return !loaded.ok || cue.lookup(loaded.value, ["DesignPattern"]) !== undefined;
    });
    const listed = table.map(({ pattern }) => withPackage(`${modulePath}/${pattern}`));
    expect(listed.toSorted()).toEqual(patterns);
  });
});

/** Adds the package name to an import path without `:package`: the last directory. */
function withPackage(path: string): string {
  return path.includes(":") ? path : `${path}:${path.split("/").at(-1)}`;
}

type Outcome = Required<Omit<Expected, "pattern" | "params" | "nothing">> & {
  readonly nothing: boolean;
  /** Warnings that have no column in the table. */
  readonly other: readonly string[];
};

function expected(row: Expected): Outcome {
  const { manifests, pulumi, foreign, lists, nothing, refused, missing, apart, functions } = row;
  return {
    missing: missing ?? [],
    apart: apart ?? [],
    functions: functions ?? [],
    manifests: manifests ?? [],
    pulumi: pulumi ?? [],
    foreign: foreign ?? {},
    lists: lists ?? [],
    nothing: nothing ?? false,
    refused: refused ?? [],
    other: [],
  };
}

function found(result: Result<Compilation>): Outcome {
  if (!result.ok) {
    const refused = result.problems.map(({ what }) => what.replace(/^.*?: /, ""));
    return expected({ pattern: "", refused });
  }
  const { resources, pulumi, warnings } = result.value;
  const foreign = resources.filter((each) => each.type === "foreign");
  const others = foreign.filter(({ provider }) => provider !== "pulumi-yaml");
  const byProvider = Object.groupBy(others, ({ provider }) => provider);
  const lists = warnings.filter(({ what }) => what.startsWith("`+` between lists"));
  const nothing = warnings.filter(({ code }) => code === "no-resources");
  const missing = warnings.filter(({ what }) => what.startsWith("Pulumi resources refer to names"));
  const apart = warnings.filter(({ what }) => what.startsWith("Pulumi.yaml refers to Kubernetes"));
  const functions = warnings.filter(({ code }) => code === "pulumi-function");
  return {
    manifests: resources.filter(({ type }) => type === "manifest").map(({ id }) => id),
    pulumi: Object.keys(pulumi?.["resources"] ?? {}),
    foreign: Object.fromEntries(
      Object.entries(byProvider).map(([name, all = []]) => [name, all.map(({ id }) => id)]),
    ),
    lists: lists
      .map(({ where: [at] }) => `${at?.file.replace("official/", "")}:${at?.line}`)
      .filter((place) => !place.startsWith("pipeline/")),
    missing: quoted(missing),
    apart: quoted(apart),
    functions: functions.map(({ what }) => /^Resource app\/(\S+) calls/.exec(what)?.[1] ?? what),
    nothing: nothing.length === 1,
    refused: [],
    other: warnings
      .filter(
        (each) =>
          ![lists, nothing, missing, apart, functions].some((known) => known.includes(each)),
      )
      .map(describeProblem),
  };
}

function quoted(warnings: readonly Problem[]): readonly string[] {
  const texts = warnings.flatMap(({ facts = [] }) => facts.map(({ value }) => value));
  return texts.flatMap((text) => [...text.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id));
}
