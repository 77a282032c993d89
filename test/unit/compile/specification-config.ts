import type { Rule } from "./specification.ts";

/** An adapter that takes one value of any type and shows it. */
const show = `DesignPattern: {
	parameters: value: _
	resources: app: it: #ConfigMap & {metadata: name: "it", data: parameters.value}
}`;

const patterns = (value: string) =>
  `designPatterns: [{pattern: spec.example/it, params: {value: {x: ${value}}}}]`;

/** Shortens a rule about one value in the config. */
function value(name: string, written: string, expected: string, rest: Partial<Rule> = {}): Rule {
  const shown = expected.startsWith("qvs.yaml")
    ? expected
    : `app/it = {"data":{"x":${expected}},"metadata":{"name":"it"}}`;
  return { name, adapters: { it: show }, use: patterns(written), expected: shown, ...rest };
}

const typed = {
  declare: {
    text: "string",
    count: "int",
    flag: "bool",
    list: "array",
    map: "object",
    token: "secret",
  },
  files: [
    'text: "1.10"\ncount: 3\nflag: true\nlist: [a, {b: 1}]\nmap: {c: null, d: {}, e: []}\ntoken: {key: k, version: "2"}\n',
  ],
};

/** The rules of docs/reference/qvs-yaml.md#references about params. */
export const configRules: readonly Rule[] = [
  value("a string alone stays a string", '"$(params.text)"', '"1.10"', typed),
  value("an int alone stays an int", "$(params.count)", "3", typed),
  value("a bool alone stays a bool", "$(params.flag)", "true", typed),
  value("an array alone stays an array", "$(params.list)", '["a",{"b":1}]', typed),
  value(
    "an object alone stays an object, with nulls and empty ones",
    "$(params.map)",
    '{"c":null,"d":{},"e":[]}',
    typed,
  ),
  value(
    "a secret alone is a {key, version} struct",
    "$(params.token)",
    '{"key":"k","version":"2"}',
    typed,
  ),
  value(
    "inside text scalars become text",
    '"v$(params.text)-$(params.count)-$(params.flag)"',
    '"v1.10-3-true"',
    typed,
  ),
  value(
    '["$(params.LIST[*])"] splices a list',
    '[x, "$(params.list[*])"]',
    '["x","a",{"b":1}]',
    typed,
  ),
  value("$$(params.X) is a literal", '"$$(params.count)"', '"$(params.count)"', typed),
  value(
    "inside text it must be a scalar",
    '"a$(params.list)"',
    'qvs.yaml:3:67: Parameter "list" can\'t be inserted into a string\n  why: It is a list\n  → Write $(params.list) alone, as the whole value',
    typed,
  ),
  value(
    "an undeclared parameter is an error that names file, line, parameter and the name probably meant",
    '"$(params.cuont)"',
    'qvs.yaml:3:66: Parameter "cuont" isn\'t declared\n  → Did you mean "$(params.count)"?\n    or declare "cuont" under params\n    or write $$(params.cuont) for the literal string',
    typed,
  ),
  value(
    "an unbound parameter is an error, too",
    "$(params.count)",
    'qvs.yaml:3:65: Parameter "count" has no value\n  → Set it in a parameter file or with --param count=…',
    { declare: { count: "int" } },
  ),
  value("inline wins over the params files", "$(params.count)", "5", {
    ...typed,
    inline: ["count=5"],
  }),
  value("a later params file wins over an earlier one", "$(params.count)", "4", {
    ...typed,
    files: ["count: 3", "count: 4"],
  }),
  value(
    "the form with lists of params and secrets",
    '["$(params.count)", "$(params.token)"]',
    '[3,{"key":"k","version":"2"}]',
    {
      declare: typed.declare,
      files: [
        '{"params": [{"name": "count", "value": 3}], "secrets": [{"name": "token", "key": "k", "version": "2"}]}',
      ],
    },
  ),
  value("lossless text forms", '["$(params.count)", "$(params.flag)"]', "[3,true]", {
    declare: typed.declare,
    files: ['count: "3"\nflag: "true"'],
  }),
  value("a list inline, as YAML or JSON", "$(params.list)", '["a",1]', {
    declare: typed.declare,
    inline: ["list=[a, 1]"],
  }),
  value(
    "a whole number of the config keeps all its digits, or is refused",
    "12345678901234567890",
    "qvs.yaml:3:65: The number can't be represented exactly\n  → Quote it to make it a string\n    or write a smaller number",
  ),
  value(
    "a fraction that is whole is that whole number, as JSON has only numbers",
    "[1.0, 1e3, 0.5]",
    "[1,1000,0.5]",
  ),
  {
    name: "pipelineParams are accepted, and not needed",
    adapters: { it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it"}` },
    use: "designPatterns: [{pattern: spec.example/it, pipelineParams: {useDebug: true}}]",
    expected: 'app/it = {"metadata":{"name":"it"}}',
  },
  {
    name: "the group of a designPattern becomes part of its ids",
    adapters: { it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it"}` },
    use: "designPatterns: [{pattern: spec.example/it, group: web}]",
    expected: 'app/web/it = {"metadata":{"name":"it"}}',
  },
  {
    name: "`:pkg` names the package of a directory with another name",
    adapters: { it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it"}` },
    use: "designPatterns: [{pattern: 'spec.example/it:it'}]",
    expected: 'app/it = {"metadata":{"name":"it"}}',
  },
];
