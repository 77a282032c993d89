import { expect, test } from "vitest";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { fc } from "../../support/fast-check.ts";
import { lines, resultText } from "./result-text.ts";

const file = "services/shop/.valuestream/qvs.yaml";
const modules = "modules: [{name: github.com/acme/adapters, revision: v1}]";
const pattern = "designPatterns: [{pattern: acme.example/adapters/web}]";

function check(text: string, expected: string): void {
  const found = resultText(parseConfig(file, text), (config) =>
    [
      ...config.params.map(({ name, type }) => `param ${name}: ${type}`),
      ...config.modules.map(
        ({ name, source }) => `module ${name} ${Object.values(source).join(" ").trim()}`,
      ),
      ...config.designPatterns.map(
        (use) => `pattern ${use.pattern} at ${use.where.line}:${use.where.column}`,
      ),
    ].join("\n"),
  );
  expect(found.replaceAll(`${file}:`, "")).toBe(expected);
}

test("a config can have every form of module", () => {
  check(
    lines`
      params:
        - name: version
          type: string
        - {name: apiKey, type: secret}
      modules:
        - name: github.com/acme/adapters
          revision: 1.10
        - name: acme.example/other
          remote: {repo: git@github.com:acme/other.git, revision: 7654321}
        - name: acme.example/part
          remote: {repo: github.com/acme/mono, revision: v1, path: ./cue/adapters/}
        - name: acme.example/local
          local: {path: ../../../adapters}
      designPatterns:
        - pattern: acme.example/adapters/kubernetes/deployment:simple
          params: {image: "demo:$(params.version)"}
          pipelineParams: {useDebug: true}
          group: web
        - pattern: acme.example/local`,
    lines`
      param version: string
      param apiKey: secret
      module github.com/acme/adapters git github.com/acme/adapters 1.10
      module acme.example/other git git@github.com:acme/other.git 7654321
      module acme.example/part git github.com/acme/mono v1 cue/adapters
      module acme.example/local local adapters
      pattern acme.example/adapters/kubernetes/deployment:simple at 15:14
      pattern acme.example/local at 19:14`,
  );
});

test("all problems are reported together, each at its place", () => {
  check(
    lines`
      param: []
      params:
        - {name: version, type: text}
        - {name: version, type: string}
        - {name: size, type: integer, default: 3}
        - {type: int}
      modules:
        - name: github.com/acme/adapters
        - {name: acme.example/a, revision: v1, local: {path: .}}
        - {name: acme.example/b, local: {path: ../../../../b}}
      designPatterns:
        - {params: [1], group: x}
        - pattern: ./adapters/web`,
    lines`
      1:1: Key "param" is unknown
        → Did you mean "params"?
      3:27: "text" isn't a valid value of "type"
        → Did you mean "string"?
          or use one of string, int, bool, array, object, secret
      5:24: "integer" isn't a valid value of "type"
        → Did you mean "int"?
          or use one of string, int, bool, array, object, secret
      5:33: Key "default" is unknown
        → Set the value in a parameter file, or declare the default in the adapter
      6:5: "params[3]" has no "name"
        → Add "name:"
      8:11: Module "github.com/acme/adapters" has no source
        → Add "revision: TAG" if the name is the address of its repository
          or add "remote: {repo: …, revision: …}" for a repository with another address
          or add "local: {path: …}" for a directory of this repository
      9:12: Module "acme.example/a" has more than one source
        and 9:38
        and 9:49
        → Keep one of revision, remote and local
      10:42: Module path "../../../../b" is outside this repository
        → Set path to a directory of this repository, relative to this file
          or name a Git repository with remote
      12:5: "designPatterns[0]" has no "pattern"
        → Add "pattern:" with the import path of an adapter
      12:14: "params" isn't an object
        found: a list
        → Write its fields as "name: value"
      13:14: "./adapters/web" isn't the import path of an adapter
        → Did you mean "acme.example/a/adapters/web"?
`,
  );
});

test.each([
  [
    "an empty file",
    "",
    '1:1: The file isn\'t an object\n  found: no value\n  → Write its fields as "name: value"',
  ],
  [
    "a file that is a list",
    "- a",
    '1:1: The file isn\'t an object\n  found: a list\n  → Write its fields as "name: value"',
  ],
  [
    "no patterns",
    modules,
    '1:1: The file has no "designPatterns"\n  → Add "designPatterns:" with "- pattern: …" for each adapter',
  ],
  [
    "a parameter declared twice",
    `params: [{name: a, type: int}, {name: a, type: int}]\n${modules}\n${pattern}`,
    '1:39: Parameter "a" is declared twice\n  and 1:17\n  → Remove one of the two entries',
  ],
  [
    "patterns without any module",
    pattern,
    '1:28: Adapter "acme.example/adapters/web" isn\'t in a declared module\n  why: The config declares no module\n  → Add the module that contains the adapter under modules, with its revision',
  ],
  [
    "a pattern in none of the modules",
    `modules: [{name: acme.example/adaptors, local: {path: .}}]\n${pattern}`,
    '2:28: Adapter "acme.example/adapters/web" isn\'t in a declared module\n  modules: acme.example/adaptors\n  → Did you mean "acme.example/adaptors/web"?\n    or begin the path with the name of a module',
  ],
  [
    "a parameter in a module",
    `modules: [{name: github.com/acme/adapters, revision: $(params.v)}]\n${pattern}`,
    '1:54: "modules" contains a parameter reference\n  why: qvs doesn\'t replace parameters in modules\n  → Write the value itself',
  ],
  [
    "a number for a pattern's name",
    `${modules}\ndesignPatterns: [{pattern: true}]`,
    '2:28: "pattern" isn\'t a string\n  found: a boolean\n  → Set "pattern" to a string',
  ],
])("rejects %s", (_, text, expected) => check(text, expected));

test.each([
  ["an import path that climbs", "acme.example/adapters/../../x"],
  ["an absolute path", "/etc/adapters"],
  ["spaces", "acme.example/a b"],
  ["a quoted import", 'acme.example/a\\"b'],
  ["an empty package", "acme.example/a:"],
])("rejects a pattern with %s", (_, path) => {
  const result = parseConfig(file, `${modules}\ndesignPatterns: [{pattern: "${path}"}]`);
  expect(resultText(result, () => "accepted")).toContain("isn't the import path of an adapter");
});

test.each([
  "acme.example/a",
  "acme.example/a:b",
  "acme.example/a@v0/b:c",
  "qmonus.net/adapter/official/kubernetes/deployment/simple",
])("accepts the pattern %s", (path) => {
  const result = parseConfig(file, `${modules}\ndesignPatterns: [{pattern: "${path}"}]`);
  expect(resultText(result, () => "accepted")).toBe("accepted");
});

test.each(["acme.example/a/b", "acme.example/a@v1/b", "acme.example/a/b@v1:c"])(
  "a module of a major version contains the pattern %s",
  (path) => {
    const module = "modules: [{name: acme.example/a@v1, local: {path: .}}]";
    const result = parseConfig(file, `${module}\ndesignPatterns: [{pattern: "${path}"}]`);
    expect(resultText(result, () => "accepted")).toBe("accepted");
  },
);

test("any text is parsed or rejected without an exception", { tags: "slow" }, () => {
  const word = fc.constantFrom(
    "params",
    "modules",
    "designPatterns",
    "name",
    "type",
    "pattern",
    ": ",
    "\n",
    "- ",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "int",
    "a.b/c",
    "revision",
    "local",
    "path",
  );
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(""));
  fc.assert(
    fc.property(text, (yaml) => typeof parseConfig(file, yaml).ok === "boolean"),
    { numRuns: 1000 },
  );
});
