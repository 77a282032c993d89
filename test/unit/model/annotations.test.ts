import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as annotations from "../../../src/model/annotations.ts";

const text = readFileSync(join(import.meta.dirname, "../../../cue/types/annotations.cue"), "utf8");

/**
 * `revision` is written only by qvs. `api-endpoint` isn't an annotation of qvs, but existing
 * adapters use it.
 */
test("types.#Annotations has the annotations that qvs reads", () => {
  const known = Object.entries(annotations).flatMap(([name, value]) =>
    name.endsWith("Annotation") && typeof value === "string" ? [value] : [],
  );
  const expected = [...known, "vs.axis-dev.io/api-endpoint"]
    .filter((name) => name !== annotations.revisionAnnotation)
    .toSorted();
  const fields = Array.from(text.matchAll(/^\t"(vs\.axis-dev\.io\/\S+)"\?:/gm), ([, name]) => name);
  const [, names = ""] = /name !~ #"\/\(([^)]*)\)\$"#/.exec(text) ?? [];
  expect(fields.toSorted()).toEqual(expected);
  expect(
    names
      .split("|")
      .map((name) => `vs.axis-dev.io/${name}`)
      .toSorted(),
  ).toEqual(expected);
});
