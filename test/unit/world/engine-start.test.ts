import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { enginePackageJson, withEngines } from "../../../scripts/engine-packages.ts";
import { engineStart, nativeEngine } from "../../../src/world/engine-start.ts";
import { builtNative } from "../../support/cue/native.ts";

const all = () => true;
const none = () => false;
const adapters = () => true;

describe("the engine starts", () => {
  it.each([
    ["deploy", all],
    ["diff", none],
    ["diff --no-cache", all],
    ["compile --param image=a", all],
    ["diff --param=image=a", all],
    ["diff -p params.yaml --no-cache", all],
  ])("immediately for %s", (line, hits) => {
    expect(engineStart(line.split(" "), hits, adapters)).toBe("now");
    expect(engineStart(line.split(" "), hits, none)).toBe("without engine");
  });

  it.each([
    ["diff", all],
    ["compile --params params.yaml", all],
    ["diff --namespace no-cache", all],
    ["help", none],
    ["get deployments", none],
    ["--version", none],
    ["deploy --help", none],
    ["", none],
  ])("on demand for %s", (line, hits) => {
    const words = line.split(" ").filter(Boolean);
    expect(engineStart(words, hits, adapters)).toBe("when asked");
    expect(engineStart(words, hits, none)).toBe("when asked");
  });
});

const root = join(import.meta.dirname, "../../..");
const machine = { platform: "linux", arch: "x64" } as const;

test("qvs looks for the native engine in its own package", () => {
  const found = nativeEngine({});
  expect(found).toBe(builtNative);
  expect(found ?? join(root, "native/none")).toContain(join(root, "native/"));
});

test("qvs uses no native engine if QVS_ENGINE is wasm", () => {
  expect(nativeEngine({ QVS_ENGINE: "wasm" })).toBeUndefined();
});

test.each([
  ["a clone that has built it", "clone", "clone/native/linux-x64", true],
  [
    "npm, next to the package",
    "node_modules/qvs-action",
    "node_modules/qvs-action-linux-x64",
    true,
  ],
  [
    "npm, inside the package",
    "node_modules/qvs-action",
    "node_modules/qvs-action/node_modules/qvs-action-linux-x64",
    true,
  ],
  ["a directory next to a clone", "work/clone", "work/qvs-action-linux-x64", false],
  ["another machine", "clone", "clone/native/linux-arm64", false],
])("the native engine of %s is found or not", (_name, directory, place, isFound) => {
  const folder = mkdtempSync(join(tmpdir(), "engine-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, place, "qvs-engine");
  mkdirSync(join(folder, directory), { recursive: true });
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, "");
  const found = nativeEngine({}, { ...machine, directory: join(folder, directory) });
  expect(found).toBe(isFound ? program : undefined);
});

test("the packages of the engines have the version of qvs and are for one machine", () => {
  const main = { name: "qvs-action", version: "1.2.3", license: "Apache-2.0", repository: {} };
  expect(enginePackageJson(main, machine)).toMatchObject({
    name: "qvs-action-linux-x64",
    version: "1.2.3",
    os: ["linux"],
    cpu: ["x64"],
    files: ["qvs-engine", "qvs-render", "engine-licences.txt"],
  });
  expect(withEngines(main)).toMatchObject({
    optionalDependencies: {
      "qvs-action-linux-x64": "1.2.3",
      "qvs-action-linux-arm64": "1.2.3",
      "qvs-action-darwin-x64": "1.2.3",
      "qvs-action-darwin-arm64": "1.2.3",
    },
  });
});
