import { expect, test } from "vitest";
import { parseKubernetesVersion } from "../../../src/inputs/parse.ts";

const known = ["1.32", "1.36", "1.37"];

test.each([
  ["1.37", "1.37"],
  ["v1.37", "1.37"],
  [" 1.36.4 ", "1.36"],
  ["v1.32.0-gke.1", "1.32"],
])("reads the version %j as %s", (text, version) => {
  expect(parseKubernetesVersion(text, known)).toBe(version);
});

const list = "Write 1.32, 1.36 or 1.37.";

test.each([
  ["1.31", list],
  ["2.37", list],
  ["", list],
  ["newest", list],
  ["1.3.7", `Did you mean "1.37"? ${list}`],
  ["137", `Did you mean "1.37"? ${list}`],
  ["1,36", `Did you mean "1.36"? ${list}`],
])("rejects the version %j", (text, help) => {
  expect(() => parseKubernetesVersion(text, known)).toThrow(
    `qvs doesn't know this version of Kubernetes. ${help}`,
  );
});
