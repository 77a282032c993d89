import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../../support/cue/native.ts";
import { temporaryDirectory } from "../../../support/git/git-fixture.ts";
import { runHere } from "../../../support/qvs/run-here.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/** Runs `qvs health` on files without a cluster. */
function health(files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const named = Object.keys(files).flatMap((name) => ["-f", name]);
  return runHere(directory, ["health", ...named, ...flags], compiler);
}

const certificate = (status: string, reason: string) => `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web, namespace: shop}
status: {conditions: [{type: Ready, status: "${status}", reason: ${reason}, message: m}]}
`;

const ready = certificate("True", "Ready");

test("all objects are ready", async () => {
  const { code, stdout } = await health({ "a.yaml": ready });
  expect(stdout).toBe(`STATE  NAMESPACE  OBJECT                           RULE
ready  shop       Certificate.cert-manager.io/web  built-in: cert-manager.yaml
`);
  expect(code).toBe(0);
});

test("several documents, in their order", async () => {
  const { code, stdout } = await health({
    "a.yaml": [
      certificate("False", "Failed"),
      "kind: List\nitems:\n  - {apiVersion: v1, kind: ConfigMap}\n  - {apiVersion: acme.example/v1, kind: Widget}\n",
      "kind: Nothing\n",
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2}}",
    ].join("---\n"),
  });
  expect(code).toBe(1);
  expect(stdout).toBe(`STATE        NAMESPACE  OBJECT                           RULE
failed       shop       Certificate.cert-manager.io/web  built-in: cert-manager.yaml
    Failed: m
ready                   ConfigMap                        built-in
unknown                 Widget.acme.example              general
    no rule for this kind, and it reports no status
unknown                 Nothing                          general
    it has no apiVersion and kind
progressing             Deployment.apps/web              built-in
    its controller hasn't observed it yet
`);
});

test("JSON has one entry per object", async () => {
  const { stdout } = await health({ "a.yaml": ready }, "--format", "json");
  expect(JSON.parse(stdout)).toEqual([
    {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      namespace: "shop",
      name: "web",
      state: "ready",
      reason: "",
      rule: "built-in: cert-manager.yaml",
    },
  ]);
});

test.each([
  [{}, "error[invalid-input]: No object is named"],
  [{ "a.yaml": "a: [" }, "error[invalid-input]: a.yaml contains neither YAML nor JSON"],
])("an input without objects is an error: %j", async (files, expected) => {
  const { code, stderr } = await health(files);
  expect(stderr).toContain(expected);
  expect(code).toBe(1);
});
