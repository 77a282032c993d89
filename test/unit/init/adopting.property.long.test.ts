import { afterAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import { escapeReferences } from "../../../src/model/text/reference-text.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { fc } from "../../support/fast-check.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { runs } from "../../support/runs.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/** Text with a meaning in CUE, YAML or references, so that random documents contain it often. */
const pieces = [
  ...[
    '"',
    '"""',
    "'",
    "'''",
    "\\",
    "\\(",
    ")",
    "#",
    '#"',
    "\n",
    "\r",
    "\t",
    " ",
    "\u0000",
    "\u0085",
  ],
  ...[
    "\u2028",
    "\u202e",
    "\ufeff",
    "\u200b",
    "\ud83d\ude80",
    "é",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "//",
  ],
  ...[
    "_",
    "$",
    "$$",
    "$(ref.a.b)",
    "$(params.a)",
    "${a.b}",
    "parameters",
    "DesignPattern",
    "__proto__",
  ],
  ...[
    "constructor",
    "let",
    "if",
    "for",
    "null",
    "true",
    "1",
    "0o7",
    "~",
    "- ",
    "<<",
    "*a",
    "&a",
    "!!",
    "a",
  ],
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  // Larger integers are rejected.
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((x) => x + 0),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie("value")), { maxLength: 4 }).map(Object.fromEntries),
  ),
}));
const name = fc.stringMatching(/^[a-c]{1,2}(?:[.-][a-c]{1,2}){0,2}$/);
const container = fc.record({ name: fc.stringMatching(/^[ab-]{1,4}$/), image: text });
const workload = fc.record({
  kind: fc.constantFrom("Deployment", "StatefulSet"),
  replicas: fc.nat(),
  containers: fc.array(container, { minLength: 1, maxLength: 3 }),
});
const other = fc.record({ kind: fc.constantFrom("Web", "web", "Web2", "WebWeb", "For"), value });
const object = fc
  .record({
    name,
    namespace: fc.constantFrom("true", "shop", undefined),
    body: fc.oneof(workload, other),
  })
  .map(({ name, namespace, body }) => ({
    apiVersion: "apps/v1",
    kind: body.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec:
      "value" in body
        ? { value: body.value }
        : { replicas: body.replicas, template: { spec: { containers: body.containers } } },
  }));
const objects = fc.uniqueArray(object, {
  minLength: 1,
  maxLength: 12,
  selector: ({ kind, metadata }) => `${kind} ${metadata.name}`,
});

test("the adapter that init writes compiles to exactly the manifests that it read", async () => {
  await fc.assert(
    fc.asyncProperty(
      objects,
      fc.constantFrom("shop", "1e3", "true", "null"),
      async (all, called) => {
        const git = new GitFixture();
        git.write("k8s.yaml", all.map((each) => JSON.stringify(each)).join("\n---\n"));
        const qvs = (...args: readonly string[]) => runHere(git.directory, args, compiler);
        const { code, stderr } = await qvs("init", "--from", "k8s.yaml", "--name", called);
        expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
        const { stdout, stderr: messages } = await qvs("compile");
        expect(messages).toBe("");
        const found = parseAllDocuments(stdout).map((document) => document.toJS() as JsonObject);
        // Manifests escape text that resembles a reference.
        const expected = all.map((each) => escapeReferences(each as unknown as JsonObject));
        expect(inOrder(found)).toEqual(inOrder(expected));
      },
    ),
    runs(40),
  );
});

function inOrder(all: readonly JsonObject[]): readonly string[] {
  return all.map(canonical).sort();
}

/** Returns a text with sorted fields, so that equal objects have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
      : inner,
  );
}
