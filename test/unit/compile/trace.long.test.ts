import { beforeAll, describe, expect, it, test } from "vitest";
import { explain } from "../../../src/commands/explain-compilation.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { type Compilation, resourceKey } from "../../../src/model/sources/compilation.ts";
import { type FieldOrigin, leafEntries, pathKey } from "../../../src/model/sources/trace.ts";
import type { Cue } from "../../../src/ports/cue.ts";
import { resourceContent } from "../../../src/report/diff/render-manifests.ts";
import { explainFields } from "../../../src/report/trace/explain-fields.ts";
import {
  type ParameterChain,
  parameterChain,
  pathNodes,
} from "../../../src/report/trace/parameter-chain.ts";
import { type Adapters, compileTraced, unindented } from "../../support/cue/compile-traced.ts";
import { compileWasm } from "../../support/cue/open.ts";
import { fc } from "../../support/fast-check.ts";

interface Case {
  readonly name: string;
  readonly adapters: Adapters;
  /** YAML: a list of {pattern, params, group}. */
  readonly use: string;
  /** Field names in the form `stage/id:path`. `expected` has the traces of these fields. */
  readonly fields: string;
  readonly expected: string;
}

const cases: readonly Case[] = [
  {
    name: "a parameter is traced through two composites to the line of the config",
    adapters: {
      leaf: `
        DesignPattern: {
          parameters: name: string
          resources: app: it: metadata: name: parameters.name
        }`,
      branch: `
        import "test.example/leaf"
        DesignPattern: {
          parameters: {base: string, suffix: string | *"b"}
          composites: [{
            pattern: leaf.DesignPattern
            params: name: "\\(parameters.base)-\\(parameters.suffix)"
          }]
        }`,
      tree: `
        import "test.example/branch"
        DesignPattern: {
          parameters: root: string
          composites: [{
            pattern: branch.DesignPattern
            params: base: parameters.root
          }]
        }`,
    },
    use: "[{pattern: tree, params: {root: oak}}]",
    fields: `app/it:metadata.name`,
    expected: `
      app/it: metadata.name = "oak-b"
        leaf/leaf.cue:4:39 by test.example/leaf
          ← parameters.name, given at branch/branch.cue:7:19
            ← parameters.base, given at tree/tree.cue:7:19
              ← parameters.root, given at qvs.yaml:11:7
                ← $(params.root)
            ← parameters.suffix, not given`,
  },
  {
    name: "a template's line is named with the line that passes the parameter",
    adapters: {
      web: `
        import "test.example/base"
        DesignPattern: {
          parameters: {image: string, port: string}
          resources: app: it: base.#Web & {
            #container: {
              image: parameters.image
              port:  parameters.port
            }
          }
        }`,
      base: `
        import "strconv"
        #Web: {
          #container: {image: string, port: string}
          metadata: name: "web"
          spec: containers: [{
            image: #container.image
            ports: [strconv.Atoi(#container.port)]
          }]
          ...
        }`,
    },
    use: "[{pattern: web, params: {image: x, port: '80'}}]",
    fields: `app/it:spec.containers.0.image
      app/it:spec.containers.0.ports.0
      app/it:metadata.name`,
    expected: `
      app/it: metadata.name = "web"
        base/base.cue:5:19 by test.example/web
      app/it: spec.containers[0].image = "x"
        base/base.cue:7:12 by test.example/web
          ← parameters.image (read at web/web.cue:7:14), given at qvs.yaml:11:7
            ← $(params.image)
      app/it: spec.containers[0].ports[0] = 80
        base/base.cue:8:13 by test.example/web
          ← parameters.port (read at web/web.cue:8:14), given at qvs.yaml:12:7
            ← $(params.port)`,
  },
  {
    name: "defer that iterates over the resources of composites",
    adapters: {
      leaf: `
        DesignPattern: {
          parameters: name: string
          resources: app: it: metadata: {name: parameters.name, ...}
        }`,
      tree: `
        import "test.example/leaf"
        DesignPattern: {
          parameters: {team: string, root: string}
          composites: [{pattern: leaf.DesignPattern, params: name: parameters.root}]
          resources: _
          defer: app: {
            for id, r in resources.app {
              (id): metadata: labels: {
                team: parameters.team
                copy: r.metadata.name
              }
            }
          }
        }`,
    },
    use: "[{pattern: tree, params: {root: oak, team: blue}}]",
    fields: `app/it:metadata.name
      app/it:metadata.labels.team
      app/it:metadata.labels.copy`,
    expected: `
      app/it: metadata.labels.team = "blue"
        tree/tree.cue:10:15 by test.example/tree
          ← parameters.team, given at qvs.yaml:12:7
            ← $(params.team)
      app/it: metadata.labels.copy = "oak"
        tree/tree.cue:11:15 by test.example/tree
          ← app/it: metadata.name
            ← parameters.name, given at tree/tree.cue:5:60
              ← parameters.root, given at qvs.yaml:11:7
                ← $(params.root)
      app/it: metadata.name = "oak"
        leaf/leaf.cue:4:40 by test.example/leaf
          ← parameters.name, given at tree/tree.cue:5:60
            ← parameters.root, given at qvs.yaml:11:7
              ← $(params.root)`,
  },
  {
    name: "let, hidden fields, interpolation and a default made from another parameter",
    adapters: {
      web: `
        DesignPattern: {
          parameters: {name: string, host: string | *"\\(name).example"}
          let Full = "\\(parameters.name)-x"
          _hidden: {at: parameters.host}
          resources: app: it: {
            metadata: {name: Full, labels: {host: _hidden.at, fixed: "yes"}}
          }
        }`,
    },
    use: "[{pattern: web, params: {name: shop}}]",
    fields: `app/it:metadata.name
      app/it:metadata.labels.host
      app/it:metadata.labels.fixed`,
    expected: `
      app/it: metadata.name = "shop-x"
        web/web.cue:7:22 by test.example/web
          ← parameters.name (read at web/web.cue:4:17), given at qvs.yaml:11:7
            ← $(params.name)
      app/it: metadata.labels.host = "shop.example"
        web/web.cue:7:43 by test.example/web
          ← parameters.host, not given
          ← parameters.name (read at web/web.cue:3:49), given at qvs.yaml:11:7
            ← $(params.name)
      app/it: metadata.labels.fixed = "yes"
        web/web.cue:7:62 by test.example/web`,
  },
  {
    name: "a loop over fields, one over a list, and the values in them",
    adapters: {
      web: `
        DesignPattern: {
          parameters: {env: [string]: string, ports: [...int], debug: bool}
          resources: app: it: {
            metadata: name: "it"
            data: {for k, v in parameters.env {"E_\\(k)": v, "L_\\(k)": "set"}}
            ports: [for p in parameters.ports if parameters.debug {port: p, protocol: "TCP"}, {port: 1}]
            all: parameters.ports
          }
        }`,
    },
    use: "[{pattern: web, params: {env: {A: a}, ports: [80], debug: true}}]",
    fields: `app/it:data.E_A
      app/it:data.L_A
      app/it:ports.0.port
      app/it:ports.0.protocol
      app/it:ports.1.port
      app/it:all.0`,
    expected: `
      app/it: data.E_A = "a"
        web/web.cue:6:50 by test.example/web
          ← parameters.env, given at qvs.yaml:11:7
            ← $(params.env)
      app/it: data.L_A = "set"
        web/web.cue:6:63 by test.example/web
          only because of parameters.env, given at qvs.yaml:11:7
            ← $(params.env)
      app/it: ports[0].port = 80
        web/web.cue:7:66 by test.example/web
          ← parameters.ports, given at qvs.yaml:12:7
            ← $(params.ports)
          only because of parameters.debug, given at qvs.yaml:13:7
            ← $(params.debug)
      app/it: ports[0].protocol = "TCP"
        web/web.cue:7:79 by test.example/web
          only because of parameters.debug, given at qvs.yaml:13:7
            ← $(params.debug)
          only because of parameters.ports, given at qvs.yaml:12:7
            ← $(params.ports)
      app/it: ports[1].port = 1
        web/web.cue:7:94 by test.example/web
          only because of parameters.ports, given at qvs.yaml:12:7
            ← $(params.ports)
          only because of parameters.debug, given at qvs.yaml:13:7
            ← $(params.debug)
      app/it: all[0] = 80
        web/web.cue:8:10 by test.example/web
          ← parameters.ports, given at qvs.yaml:12:7
            ← $(params.ports)`,
  },
  {
    name: "a condition around a field, a resource, and a stage",
    adapters: {
      web: `
        DesignPattern: {
          parameters: {hpa: bool, extra?: string, size: int}
          resources: {
            app: it: {
              metadata: name: "it"
              if parameters.extra != _|_ {
                extra: parameters.extra
              }
              if parameters.extra == _|_ {
                extra: "none"
              }
              if parameters.hpa if parameters.size > 3 {
                big: {really: true}
              }
            }
            if parameters.hpa {
              appSetup: it: metadata: name: "hpa"
            }
          }
        }`,
    },
    use: "[{pattern: web, params: {hpa: true, size: 5}}]",
    fields: `app/it:metadata.name
      app/it:extra
      app/it:big.really
      appSetup/it:metadata.name`,
    expected: `
      appSetup/it: metadata.name = "hpa"
        web/web.cue:18:37 by test.example/web
          only because of parameters.hpa (read at web/web.cue:17:8), given at qvs.yaml:11:7
            ← $(params.hpa)
      app/it: metadata.name = "it"
        web/web.cue:6:23 by test.example/web
      app/it: extra = "none"
        web/web.cue:11:16 by test.example/web
          only because of parameters.extra (read at web/web.cue:10:10), not given
      app/it: big.really = true
        web/web.cue:14:23 by test.example/web
          only because of parameters.size (read at web/web.cue:13:28), given at qvs.yaml:12:7
            ← $(params.size)
          only because of parameters.hpa (read at web/web.cue:13:10), given at qvs.yaml:11:7
            ← $(params.hpa)`,
  },
  {
    name: "groups separate the same id, and one id in two stages is two resources",
    adapters: {
      leaf: `
        DesignPattern: {
          parameters: name: string
          resources: {
            app: it: metadata: name: parameters.name
            appSetup: it: metadata: name: parameters.name
          }
        }`,
      tree: `
        import "test.example/leaf"
        DesignPattern: {
          parameters: {left: string, right: string}
          composites: [
            {pattern: leaf.DesignPattern, group: "l", params: name: parameters.left},
            {pattern: leaf.DesignPattern, group: "r", params: name: parameters.right},
          ]
        }`,
    },
    use: "[{pattern: tree, group: g, params: {left: a, right: b}}]",
    fields: `app/g/l/it:metadata.name
      app/g/r/it:metadata.name
      appSetup/g/l/it:metadata.name`,
    expected: `
      appSetup/g/l/it: metadata.name = "a"
        leaf/leaf.cue:6:35 by test.example/leaf
          ← parameters.name, given at tree/tree.cue:6:61
            ← parameters.left, given at qvs.yaml:11:7
              ← $(params.left)
      app/g/l/it: metadata.name = "a"
        leaf/leaf.cue:5:30 by test.example/leaf
          ← parameters.name, given at tree/tree.cue:6:61
            ← parameters.left, given at qvs.yaml:11:7
              ← $(params.left)
      app/g/r/it: metadata.name = "b"
        leaf/leaf.cue:5:30 by test.example/leaf
          ← parameters.name, given at tree/tree.cue:7:61
            ← parameters.right, given at qvs.yaml:12:7
              ← $(params.right)`,
  },
  {
    name: "two designPatterns and a composite share one resource",
    adapters: {
      web: `
        DesignPattern: {
          parameters: name: string
          resources: app: it: {apiVersion: "v1", metadata: {name: parameters.name, labels: {...}, ...}}
        }`,
      team: `
        DesignPattern: {
          parameters: team: string
          resources: app: it: {apiVersion: string, metadata: labels: {team: parameters.team, ...}, ...}
        }`,
      tree: `
        import "test.example/web"
        DesignPattern: {
          parameters: name: string
          composites: [{pattern: web.DesignPattern, params: name: parameters.name}]
          resources: app: it: metadata: labels: {of: app.it.metadata.name, by: "tree", ...}
        }`,
    },
    use: "[{pattern: tree, params: {name: x}}, {pattern: team, params: {team: blue}}]",
    fields: `app/it:apiVersion
      app/it:metadata.name
      app/it:metadata.labels.team
      app/it:metadata.labels.of
      app/it:metadata.labels.by`,
    expected: `
      app/it: apiVersion = "v1"
        web/web.cue:4:36 by test.example/web
      app/it: metadata.name = "x"
        web/web.cue:4:59 by test.example/web
          ← parameters.name, given at tree/tree.cue:5:59
            ← parameters.name, given at qvs.yaml:11:7
              ← $(params.name)
      app/it: metadata.labels.of = "x"
        tree/tree.cue:6:46 by test.example/tree
          ← app/it: metadata.name
            ← parameters.name, given at tree/tree.cue:5:59
              ← parameters.name, given at qvs.yaml:11:7
                ← $(params.name)
      app/it: metadata.labels.by = "tree"
        tree/tree.cue:6:72 by test.example/tree
      app/it: metadata.labels.team = "blue"
        team/team.cue:4:69 by test.example/team
          ← parameters.team, given at qvs.yaml:21:7
            ← $(params.team)`,
  },
  {
    name: "a parameter reaches fields as a whole, in part, and through a function",
    adapters: {
      web: `
        import "encoding/json"
        import "list"
        DesignPattern: {
          parameters: {spec: {...}, a: [...string], b: [...string], kind: "x" | "y"}
          resources: app: it: {
            metadata: name: "it"
            spec: parameters.spec & {mine: 1}
            text: json.Marshal({s: parameters.spec, k: "k"})
            args: list.Concat([parameters.a, parameters.b])
            pick: {x: 1, y: 2}[parameters.kind]
          }
        }`,
    },
    use: "[{pattern: web, params: {spec: {deep: {v: 1}}, a: [p], b: [q], kind: y}}]",
    fields: `app/it:spec.deep.v
      app/it:spec.mine
      app/it:text
      app/it:args.0
      app/it:pick`,
    expected: `
      app/it: spec.deep.v = 1
        web/web.cue:8:11 by test.example/web
          ← parameters.spec, given at qvs.yaml:11:7
            ← $(params.spec)
      app/it: spec.mine = 1
        web/web.cue:8:36 by test.example/web
      app/it: text = "{\\"s\\":{\\"deep\\":{\\"v\\":1}},\\"k\\":\\"k\\"}"
        web/web.cue:9:11 by test.example/web
          ← parameters.spec, given at qvs.yaml:11:7
            ← $(params.spec)
      app/it: args[0] = "p"
        web/web.cue:10:24, web/web.cue:10:38 by test.example/web
          ← parameters.a, given at qvs.yaml:12:7
            ← $(params.a)
          ← parameters.b, given at qvs.yaml:13:7
            ← $(params.b)
      app/it: pick = 2
        web/web.cue:11:11 by test.example/web
          ← parameters.kind, given at qvs.yaml:14:7
            ← $(params.kind)`,
  },
  {
    name: "one adapter used twice with different params",
    adapters: {
      env: `
        DesignPattern: {
          parameters: {key: string, value: string}
          resources: app: it: {metadata: name: "it", data: (parameters.key): parameters.value, ...}
        }`,
    },
    use: "[{pattern: env, params: {key: A, value: a}}, {pattern: env, params: {key: B, value: b}}]",
    fields: `app/it:metadata.name
      app/it:data.A
      app/it:data.B`,
    expected: `
      app/it: metadata.name = "it"
        env/env.cue:4:40 by test.example/env
        env/env.cue:4:40 by test.example/env
      app/it: data.A = "a"
        env/env.cue:4:70 by test.example/env
          ← parameters.value, given at qvs.yaml:12:7
            ← $(params.value)
          only because of parameters.key, given at qvs.yaml:11:7
            ← $(params.key)
      app/it: data.B = "b"
        env/env.cue:4:70 by test.example/env
          ← parameters.value, given at qvs.yaml:22:7
            ← $(params.value)
          only because of parameters.key, given at qvs.yaml:21:7
            ← $(params.key)`,
  },
  {
    name: "a whole template within a condition",
    adapters: {
      web: `
        import "test.example/base"
        DesignPattern: {
          parameters: {probe: bool, path: string, kind: *"a" | "b"}
          resources: app: it: {
            metadata: name: "it"
            kind: parameters.kind
            spec: {
              if parameters.probe {base.#Probe & {#path: parameters.path}}
            }
          }
        }`,
      base: `
        #Probe: {#path: string, httpGet: path: #path, ...}`,
    },
    use: "[{pattern: web, params: {probe: true, path: /x}}]",
    fields: `app/it:spec.httpGet.path
      app/it:kind`,
    expected: `
      app/it: kind = "a"
        web/web.cue:7:11 by test.example/web
          ← parameters.kind, not given
      app/it: spec.httpGet.path = "/x"
        base/base.cue:2:40 by test.example/web
          ← parameters.path (read at web/web.cue:9:50), given at qvs.yaml:12:7
            ← $(params.path)
          only because of parameters.probe (read at web/web.cue:9:10), given at qvs.yaml:11:7
            ← $(params.probe)`,
  },
];

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

describe("the source of a field", () => {
  it.each(cases)("$name", ({ adapters, use, fields, expected }) => {
    const compilation = compileTraced(module, adapters, use);
    expect(explained(compilation, fields)).toBe(unindented(expected));
  });
});

function explained(compilation: Compilation, fields: string): string {
  const selected = new Set(fields.split(/\s+/));
  return (compilation.trace ?? [])
    .map(({ resource, fields: all }) => {
      const chosen = all.filter(({ path }) => selected.has(`${resource}:${path.join(".")}`));
      return explainFields(compilation, { resource }, chosen);
    })
    .filter((text) => text !== "")
    .join("\n");
}

describe("an adapter whose trace takes too long", () => {
  const adapters = {
    leaf: `
      DesignPattern: {
        parameters: name: string
        resources: app: (parameters.name): metadata: name: parameters.name
      }`,
    tree: `
      import "test.example/leaf"
      DesignPattern: {
        parameters: name: string
        composites: [{pattern: leaf.DesignPattern, params: name: parameters.name}]
        defer: app: (parameters.name): metadata: labels: by: "tree"
      }`,
  };
  const use = "[{pattern: tree, params: {name: it}}, {pattern: leaf, params: {name: that}}]";

  /** Counts the calls of `trace`, and answers none from this number on. */
  function stopAt(number: number) {
    const calls = { count: 0 };
    const change = (cue: Cue): Cue => ({
      ...cue,
      trace: (value, adapter) => (calls.count++ < number ? cue.trace(value, adapter) : undefined),
    });
    return { calls, change };
  }

  it("compiles to the same result without a trace and prints a warning, whichever part is slow", () => {
    const whole = stopAt(Number.POSITIVE_INFINITY);
    const traced = compileTraced(module, adapters, use, whole.change);
    expect(traced.trace).toHaveLength(2);
    for (let number = 0; number < whole.calls.count; number++) {
      const { trace, warnings, resources } = compileTraced(
        module,
        adapters,
        use,
        stopAt(number).change,
      );
      expect(trace).toBeUndefined();
      expect(resources).toEqual(traced.resources);
      expect(warnings.map(({ what }) => what)).toEqual([
        expect.stringMatching(/^The origin of fields isn't shown for /),
      ]);
    }
  });

  it("has no explained fields", () => {
    const { change } = stopAt(0);
    const compilation = compileTraced(module, adapters, use, change);
    expect(() => explain(compilation, "app/it")).toThrow("The sources of the fields are unknown");
  });
});

test("every leaf of every manifest has an adapter that wrote it", () => {
  fc.assert(
    fc.property(adapter(), adapter(), fc.boolean(), (one, other, composed) => {
      const { trace = [], resources, layout } = compileBoth(one, other, composed, {});
      expect(trace.map(({ fields }) => fields.length)).toEqual(
        resources.map((each) => leafEntries(resourceContent(each)).length),
      );
      const origins = trace.flatMap(({ fields }) => fields.map((field) => field.origins));
      expect(origins.filter((each) => each.length === 0)).toEqual([]);
      const isNowhere = ({ at, node }: FieldOrigin) =>
        at.length === 0 || pathNodes(layout, node).length !== node.length;
      expect(origins.flat().filter(isNowhere)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test("a leaf that another argument affects names that argument", () => {
  const changes = fc.constantFrom<Partial<Arguments>>(
    { text: "other" },
    { flag: false },
    { map: { b: "2" } },
    { list: ["x"] },
    { list: [] },
  );
  fc.assert(
    fc.property(adapter(), adapter(), fc.boolean(), changes, (one, other, composed, change) => {
      const before = compileBoth(one, other, composed, {});
      const after = compileBoth(one, other, composed, change);
      const [name = ""] = Object.keys(change);
      expect([...unexplained(before, after, name), ...unexplained(after, before, name)]).toEqual(
        [],
      );
    }),
    { numRuns: 40 },
  );
});

interface Arguments {
  readonly text: string;
  readonly flag: boolean;
  readonly map: JsonObject;
  readonly list: readonly string[];
}

/**
 * Compiles two adapters with the same arguments: next to each other, or one as a composite of the
 * other.
 */
function compileBoth(
  one: readonly Field[],
  other: readonly Field[],
  composed: boolean,
  change: Partial<Arguments>,
): Compilation {
  const args = { text: "t", flag: true, map: { a: "1" }, list: ["x", "y"], ...change };
  const adapters = { one: adapterText(one, false), other: adapterText(other, composed) };
  const uses = composed ? ["other"] : ["one", "other"];
  const use = uses.map((pattern) => ({ pattern, params: args }));
  return compileTraced(module, adapters, JSON.stringify(use));
}

/**
 * Returns the leaves that differ between two compilations although their trace doesn't name the
 * argument.
 */
function unexplained(of: Compilation, other: Compilation, argument: string): readonly string[] {
  return of.resources.flatMap((resource) => {
    const key = resourceKey(resource);
    const twin = other.resources.find((each) => resourceKey(each) === key);
    const values = new Map(
      (twin === undefined ? [] : leafEntries(resourceContent(twin))).map(([path, v]) => [
        pathKey(path),
        v,
      ]),
    );
    const fields = of.trace?.find((each) => each.resource === key)?.fields ?? [];
    return leafEntries(resourceContent(resource)).flatMap(([path, value], index) => {
      const known = fields[index]?.origins.flatMap((origin) => argumentsOf(of, origin)) ?? [];
      const isSame = JSON.stringify(values.get(pathKey(path))) === JSON.stringify(value);
      return isSame || known.includes(argument) ? [] : [`${key}:${path.join(".")}`];
    });
  });
}

function argumentsOf({ layout }: Compilation, { node, made, decided }: FieldOrigin): string[] {
  const names = (chain: ParameterChain): string[] =>
    chain.node === undefined ? [chain.name] : chain.from.flatMap(names);
  return [...made, ...decided].flatMap(({ name }) => names(parameterChain(layout, node, name)));
}

/**
 * Forms in which adapters write a field `NAME`. None of them contradict each other, in one adapter
 * or in two.
 */
const shapes: readonly string[] = [
  "NAME: parameters.text",
  'NAME: "fixed"',
  'NAME: {for k, v in parameters.map {"x-\\(k)": v}}',
  "NAME: [for x in parameters.list {item: x}]",
  "NAME: [for x in parameters.list {x}, parameters.text]",
  "if parameters.flag {NAME: deep: parameters.map}",
  "NAME: *1 | int\nif parameters.flag {NAME: 2}",
  'NAME: {a: *"d" | string}\nif parameters.flag if len(parameters.list) > 1 {NAME: a: "e"}',
  'let L = "l-\\(parameters.text)"\nNAME: {a: L, b: {}}',
  "NAME: (#Template & {#in: parameters.text}).out",
  "NAME: {#Template, #in: parameters.text}",
  "NAME: {if parameters.flag {#Template & {#in: parameters.text}}}",
  "NAME: [parameters.text, ...string]",
  "NAME: parameters.list",
  'NAME: strings.Join(parameters.list, ",")',
  "NAME: _hidden",
  "NAME: _switched",
  "NAME: [if parameters.flag {1}, 2]",
  'NAME: {yes: "y", no: "n"}[_switched]',
  'NAME: [for k, v in parameters.map if v == "1" {"\\(k)=\\(v)"}]',
  "NAME: {}",
];

interface Field {
  readonly resource: string;
  readonly shape: number;
}

function adapter(): fc.Arbitrary<readonly Field[]> {
  const shape = fc.nat({ max: shapes.length - 1 });
  const field = fc.record({ resource: fc.constantFrom("it", "that"), shape });
  return fc.uniqueArray(field, { maxLength: 8, selector: JSON.stringify });
}

function adapterText(fields: readonly Field[], composed: boolean): string {
  const resources = fields.map(
    ({ resource, shape }) =>
      `resources: app: ${resource}: {${shapes[shape]?.replaceAll("NAME", `f${shape}`)}\n...}`,
  );
  const given = ["text", "flag", "map", "list"].map((name) => `${name}: parameters.${name}`);
  return [
    ...(composed ? ['import "test.example/one"'] : []),
    'import "strings"',
    "_used: strings.MinRunes(1)",
    "#Template: {#in: string, out: #in, more: [#in], ...}",
    "DesignPattern: {",
    "parameters: {text: string, flag: bool, map: [string]: string, list: [...string]}",
    "_hidden: parameters.text",
    '_switched: *"no" | string',
    'if parameters.flag {_switched: "yes"}',
    composed ? `composites: [{pattern: one.DesignPattern, params: {${given.join(", ")}}}]` : "",
    ...resources,
    "}",
  ].join("\n");
}
