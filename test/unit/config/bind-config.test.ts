import { expect, test } from "vitest";
import { bindConfig } from "../../../src/config/bind-config.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import {
  type GivenParam,
  parseInlineParams,
  parseParams,
} from "../../../src/config/parse-params.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import type { Config } from "../../../src/model/sources/config.ts";
import { fc } from "../../support/fast-check.ts";
import { runs } from "../../support/runs.ts";
import { lines, must, resultText } from "./result-text.ts";

const declarations = lines`
  params:
    - {name: version, type: string}
    - {name: replicas, type: int}
    - {name: debug, type: bool}
    - {name: hosts, type: array}
    - {name: labels, type: object}
    - {name: apiKey, type: secret}
    - {name: unset, type: string}
  modules: [{name: github.com/acme/adapters, revision: v1}]
  designPatterns:
    - pattern: acme.example/adapters/web
      params:`;

const values = lines`
  version: "1.10"
  replicas: 3
  debug: true
  hosts: [a, {b: 1}]
  labels: {team: web}
  apiKey: {key: vault/key, version: 2}`;

/** Binds a config whose only argument `x` is `yaml`, which begins at 13:8. */
function bind(yaml: string, params = values, inline: readonly string[] = []): Result<Config> {
  const written = yaml.includes("\n") ? yaml.replaceAll("\n", "\n         ") : yaml;
  const parsed = parseConfig("qvs.yaml", `${declarations}\n       x: ${written}`);
  const given = [...must(parseParams("params.yaml", params)), ...must(parseInlineParams(inline))];
  return bindConfig(must(parsed), given);
}

function shown(result: Result<Config>): string {
  return resultText(result, (config) => {
    const [argument] = config.designPatterns[0]?.params ?? [];
    return `${JSON.stringify(argument?.value)} from ${argument?.from.join(",") || "nothing"}`;
  });
}

test.each([
  ["text without references stays", "demo", '"demo" from nothing'],
  ["an int alone stays an int", "$(params.replicas)", "3 from replicas"],
  ["a quoted reference alone keeps its type too", '"$(params.replicas)"', "3 from replicas"],
  ["a bool alone stays a bool", "$(params.debug)", "true from debug"],
  ["text that looks like a number stays text", "$(params.version)", '"1.10" from version'],
  ["a list alone stays a list", "$(params.hosts)", '["a",{"b":1}] from hosts'],
  [
    "a secret alone is its key and version",
    "$(params.apiKey)",
    '{"key":"vault/key","version":"2"} from apiKey',
  ],
  [
    "scalars inside text",
    '"v$(params.version)-$(params.replicas)-$(params.debug)"',
    '"v1.10-3-true" from version,replicas,debug',
  ],
  [
    "a list is spliced between other items",
    '[x, "$(params.hosts[*])", y]',
    '["x","a",{"b":1},"y"] from hosts',
  ],
  ["a list as an item is a list in a list", '["$(params.hosts)"]', '[["a",{"b":1}]] from hosts'],
  ["deep inside maps and lists", "{a: [{b: $(params.replicas)}]}", '{"a":[{"b":3}]} from replicas'],
  ["inside keys", '{"v$(params.version)": 1}', '{"v1.10":1} from version'],
  [
    "two dollars make it literal",
    '"$$(params.version) $(params.version)"',
    '"$(params.version) 1.10" from version',
  ],
  ["literal alone stays text", "$$(params.replicas)", '"$(params.replicas)" from nothing'],
  ["three dollars are a dollar and a literal", "$$$(params.x)", '"$$(params.x)" from nothing'],
  [
    "other dollar forms belong to other tools",
    '"$(ref.a.b) $(HOME) $x $(param.x)"',
    '"$(ref.a.b) $(HOME) $x $(param.x)" from nothing',
  ],
  ["numbers and nulls of the config itself", "[1, null, 1.5]", "[1,null,1.5] from nothing"],
])("%s", (_, yaml, expected) => expect(shown(bind(yaml))).toBe(expected));

test.each([
  ["$(param.version)"],
  ["$(parameters.version)"],
  ["${params.version}"],
  ["${{ params.version }}"],
  ["{{ .params.version }}"],
])("%s, which other tools know, is reported as not a reference", (written) => {
  expect(shown(bind(`"v${written}"`))).toContain(
    `13:13: "${written}" isn't a parameter reference\n  why: qvs would leave it unchanged and not insert the parameter "version"\n  → Write $(params.version)`,
  );
});

test.each([
  ["an undeclared name", "${params.other} {{ .params.other }} $(param.other)"],
  [
    "syntax of Pods, shells and templates",
    "$(VERSION) ${version} {{ .Values.version }} {params.version}",
  ],
  ["a second dollar before it", "$${params.version}"],
])("%s keeps the text", (_, text) => {
  expect(shown(bind(`'${text}'`))).toBe(`${JSON.stringify(text)} from nothing`);
});

test("a bound value isn't searched for references", () => {
  const params = 'version: "$(params.replicas)"\nreplicas: 3';
  expect(shown(bind("a $(params.version)", params))).toBe('"a $(params.replicas)" from version');
});

test.each([
  [
    "an undeclared parameter",
    '"a $(params.verison)"',
    '13:14: Parameter "verison" isn\'t declared\n  → Did you mean "$(params.version)"?\n    or declare "verison" under params\n    or write $$(params.verison) for the literal string',
  ],
  [
    "a parameter without a value",
    "$(params.unset)",
    '13:11: Parameter "unset" has no value\n  → Set it in a parameter file or with --param unset=…',
  ],
  [
    "every wrong reference of a block of text, each at its place",
    "|\nfirst\n  $(params.a1) and $(params.version)\n$(params.b2)",
    '15:12: Parameter "a1" isn\'t declared\n  → Declare "a1" under params\n    or write $$(params.a1) for the literal string\n16:10: Parameter "b2" isn\'t declared\n  → Declare "b2" under params\n    or write $$(params.b2) for the literal string',
  ],
  [
    "a wrong reference in folded quoted text",
    '"first\nsecond $(params.nope)"',
    '14:17: Parameter "nope" isn\'t declared',
  ],
  [
    "a wrong reference that escapes hide, at its scalar",
    '"a \\x24(params.nope)"',
    '13:11: Parameter "nope" isn\'t declared',
  ],
  [
    "a list inside text",
    '"a $(params.hosts)"',
    '13:14: Parameter "hosts" can\'t be inserted into a string\n  why: It is a list',
  ],
  [
    "a secret inside text",
    '"a $(params.apiKey)"',
    '13:14: Parameter "apiKey" can\'t be inserted into a string\n  why: It is an object',
  ],
  [
    "a splice outside of a list",
    "$(params.hosts[*])",
    '13:11: "$(params.hosts[*])" isn\'t a whole item of a list\n  why: [*] inserts the items of a list into another list\n  → Write ["$(params.hosts[*])"]\n    or write $(params.hosts) for the list itself',
  ],
  [
    "a splice inside text",
    '["a $(params.hosts[*])"]',
    '13:15: "$(params.hosts[*])" isn\'t a whole item of a list\n  why: [*] inserts the items of a list into another list',
  ],
  [
    "a splice of what is no list",
    '["$(params.version[*])"]',
    '13:13: Parameter "version" isn\'t a list\n  why: [*] inserts the items of a list',
  ],
  ["an index", '"$(params.hosts[0])"', '13:12: "$(params.hosts[0])" doesn\'t name a parameter'],
  [
    "a reference without an end",
    '"$(params.hosts"',
    '13:12: "$(params.hosts" doesn\'t name a parameter',
  ],
  [
    "a key that already exists",
    '{"$(params.version)": 1, "1.10": 2}',
    '13:36: Key "1.10" becomes a duplicate\n  becomes: "1.10"',
  ],
])("rejects %s", (_, yaml, expected) => {
  expect(shown(bind(yaml)).replaceAll("qvs.yaml:", "")).toContain(expected);
});

test("a missing value shows a similar given name", () => {
  const result = bind("$(params.version)", "verison: a");
  expect(shown(result)).toContain(
    'qvs.yaml:13:11: Parameter "version" has no value\n  why: A value is given for the undeclared name "verison"',
  );
});

test.each([
  ["whole numbers in text", 'replicas: "3"', "$(params.replicas)", "3"],
  ["true in text", 'debug: "true"', "$(params.debug)", "true"],
  ["a decimal without a fraction", "replicas: 3.0", "$(params.replicas)", "3"],
  ["a secret without a version", "apiKey: {key: a}", "$(params.apiKey)", '{"key":"a"}'],
])("accepts %s", (_, params, yaml, expected) => {
  expect(shown(bind(yaml, params))).toContain(`${expected} from`);
});

test.each([
  [
    "text for an int",
    "replicas: three",
    'params.yaml:1:11: Parameter "replicas" isn\'t an integer\n  and qvs.yaml:3:12\n  found: a string',
  ],
  [
    "a decimal for an int",
    "replicas: 1.5",
    'params.yaml:1:11: Parameter "replicas" isn\'t an integer\n  and qvs.yaml:3:12\n  found: a decimal number',
  ],
  [
    "leading zeros for an int",
    'replicas: "007"',
    'params.yaml:1:11: Parameter "replicas" isn\'t an integer\n  and qvs.yaml:3:12\n  found: a string',
  ],
  [
    "an int in text that would lose digits",
    'replicas: "9007199254740993"',
    'params.yaml:1:11: Parameter "replicas" isn\'t an integer\n  and qvs.yaml:3:12\n  found: a string',
  ],
  [
    "yes for a bool",
    "debug: yes",
    'params.yaml:1:8: Parameter "debug" isn\'t a boolean\n  and qvs.yaml:4:12\n  found: a string',
  ],
  [
    "a number for text, which would lose 1.10",
    "version: 1.10",
    'params.yaml:1:10: Parameter "version" isn\'t a string\n  and qvs.yaml:2:12\n  found: a decimal number',
  ],
  [
    "null for text",
    "version:",
    'params.yaml:1:9: Parameter "version" isn\'t a string\n  and qvs.yaml:2:12\n  found: no value',
  ],
  [
    "text for a list",
    'hosts: "[a]"',
    'params.yaml:1:8: Parameter "hosts" isn\'t a list\n  and qvs.yaml:5:12\n  found: a string',
  ],
  [
    "a list for a map",
    "labels: [a]",
    'params.yaml:1:9: Parameter "labels" isn\'t an object\n  and qvs.yaml:6:12\n  found: a list',
  ],
  [
    "text for a secret",
    "apiKey: hunter2",
    'params.yaml:1:9: Parameter "apiKey" isn\'t an object with key and version\n  and qvs.yaml:7:12\n  found: a string',
  ],
  [
    "a secret with other fields",
    "apiKey: {key: a, value: b}",
    'params.yaml:1:18: Key "value" is unknown',
  ],
])("rejects %s", (_, params, expected) => {
  const found = shown(bind("demo", params));
  expect(found).toMatch(/^params.yaml:1:/);
  expect(found).toContain(expected);
  expect(found).not.toContain("hunter2");
});

test.each([
  ["text", "version=1.10", "$(params.version)", '"1.10"'],
  ["an int", "replicas=5", "$(params.replicas)", "5"],
  ["a bool", "debug=false", "$(params.debug)", "false"],
  ["a list", "hosts=[a, b]", "$(params.hosts)", '["a","b"]'],
  ["a map", 'labels={"a": "b=c"}', "$(params.labels)", '{"a":"b=c"}'],
  ["a secret", "apiKey={key: k, version: 7}", "$(params.apiKey)", '{"key":"k","version":"7"}'],
  ["empty text", "version=", "$(params.version)", '""'],
])("an inline value for %s takes precedence over the files", (_, inline, yaml, expected) => {
  expect(shown(bind(yaml, values, [inline]))).toContain(`${expected} from`);
});

test("later values take precedence, and a replaced wrong value doesn't matter", () => {
  const parsed = must(parseConfig("qvs.yaml", `${declarations} {x: $(params.replicas)}`));
  const files = ["replicas: many", "replicas: 2", "version: a"];
  const given = files.flatMap((text): readonly GivenParam[] => must(parseParams("p", text)));
  expect(shown(bindConfig(parsed, given))).toBe("2 from replicas");
});

test("an argument shows whether it uses a value of the command line", () => {
  const inline = (yaml: string) =>
    must(bind(yaml, values, ["version=2"])).designPatterns[0]?.params[0]?.inline ?? false;
  expect(inline("v$(params.version)")).toBe(true);
  expect(inline("$(params.replicas)")).toBe(false);
});

test("files can contain undeclared params, inline values can't", () => {
  expect(shown(bind("demo", "other: 1"))).toBe('"demo" from nothing');
  expect(shown(bind("demo", values, ["verison=1"]))).toBe(
    '"--param verison" sets a parameter that the config doesn\'t declare\n  → Did you mean "version"?\n    or declare "verison" under params in the config\n    or remove --param verison',
  );
});

test("wrong values and wrong references are reported together", () => {
  const found = shown(bind('["$(params.replicas)", "$(params.nope)"]', "replicas: x"));
  expect(found).toContain('"replicas" isn\'t an integer\n  and qvs.yaml:3:12\n  found: a string');
  expect(found).toContain('"nope" isn\'t declared');
  expect(found.match(/→/g)).toHaveLength(2);
});

test("a group can contain a parameter", () => {
  const text = `${declarations} {}\n    group: web-$(params.version)`;
  const config = bindConfig(must(parseConfig("q", text)), must(parseParams("p", values)));
  expect(must(config).designPatterns[0]?.group).toBe("web-1.10");
});

test("a short config can't expand a long value without limit", { tags: "slow" }, () => {
  const text = `[${Array(5000).fill('"$(params.version)"').join(",")}]`;
  const found = shown(bind(text, `version: "${"x".repeat(100_000)}"`));
  expect(found).toContain("The parameters insert more than 16 MiB into this config");
  expect(found.match(/→/g)).toHaveLength(1);
});

test("at most a hundred wrong references are reported", { tags: "slow" }, () => {
  const text = `"${Array.from({ length: 20_000 }, (_, n) => `$(params.p${n})`).join(" ")}"`;
  expect(shown(bind(text)).match(/→/g)).toHaveLength(100);
});

test("a parameter keeps any value unchanged", { tags: "slow" }, () => {
  const value = fc
    .dictionary(fc.string(), fc.jsonValue())
    .map((json) => JSON.parse(JSON.stringify(json)));
  fc.assert(
    fc.property(value, (json) => {
      fc.pre(JSON.stringify(json).search(/\d{16}|e[+-]?\d|"<<"/) < 0);
      const params = JSON.stringify({ labels: json });
      const bound = must(bind("$(params.labels)", params)).designPatterns[0]?.params[0]?.value;
      expect(bound).toEqual(json);
    }),
    runs(25),
  );
});

test("any text can be written literally", { tags: "slow" }, () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const escaped = JSON.stringify(text.replaceAll("$(params.", "$$$(params."));
      expect(shown(bind(escaped))).toBe(`${JSON.stringify(text)} from nothing`);
    }),
  );
});
