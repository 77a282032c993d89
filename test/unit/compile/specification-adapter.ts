import type { Rule } from "./specification.ts";

const leaf = `DesignPattern: {
	parameters: n: string
	resources: app: leaf: #ConfigMap & {metadata: name: parameters.n}
}`;

/** The rules of docs/reference/adapters.md#composition, from parameters to concreteness. */
export const adapterRules: readonly Rule[] = [
  {
    name: "a #Secret parameter takes a secret's {key, version}, and its version can be optional",
    adapters: {
      it: `
#Secret: {key: string, version?: string}
DesignPattern: {
	parameters: {one: #Secret, other: #Secret}
	resources: app: it: #ConfigMap & {metadata: name: "it", data: {one: parameters.one.version, other: parameters.other.key}}
}`,
    },
    declare: { one: "secret", other: "secret" },
    files: ["one: {key: a, version: 7}\nother: {key: b}"],
    use: "designPatterns: [{pattern: spec.example/it, params: {one: $(params.one), other: $(params.other)}}]",
    expected: 'app/it = {"data":{"one":"7","other":"b"},"metadata":{"name":"it"}}',
  },
  {
    name: "a missing parameter, a wrong type and a failed constraint are reported together",
    adapters: {
      it: `DesignPattern: {
	parameters: {name: string, port: int, size: "s" | "l"}
	resources: app: it: #ConfigMap & {metadata: name: parameters.name}
}`,
    },
    use: "designPatterns:\n- pattern: spec.example/it\n  params:\n    port: many\n    size: m",
    expected: `qvs.yaml:4:12: Parameter "name" of "spec.example/it" is missing
  and it/main.cue:3:15
  type: string
  → Add "name" to the params of this pattern
qvs.yaml:6:11: Parameter "port" of "spec.example/it" has an invalid value
  and it/main.cue:3:29
  found: "many"
  expected: an integer
  → Change the value
    or change the declaration in the adapter
qvs.yaml:7:11: Parameter "size" of "spec.example/it" has an invalid value
  and it/main.cue:3:40
  found: "m"
  expected: "l" or "s"
  → Change the value
    or change the declaration in the adapter`,
  },
  {
    name: "an undeclared parameter is a warning with a suggestion",
    adapters: {
      it: leaf.replace("parameters: n: string", "parameters: {n: string, size: *1 | int}"),
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {n: a, sise: 2}}]",
    expected: `app/leaf = {"metadata":{"name":"a"}}
! qvs.yaml:3:66: Parameter "sise" isn't declared by "spec.example/it"
  → Did you mean "size"?
    or remove "sise"
    or rename it to a parameter of the adapter`,
  },
  {
    name: "an undeclared parameter is only a warning, even if the parameters are a closed definition",
    adapters: {
      it: `
#Parameters: {n: string}
DesignPattern: {
	parameters: #Parameters
	resources: app: leaf: #ConfigMap & {metadata: name: parameters.n}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {n: a, other: 2}}]",
    expected: `app/leaf = {"metadata":{"name":"a"}}
! qvs.yaml:3:67: Parameter "other" isn't declared by "spec.example/it"
  → Remove "other"
    or rename it to a parameter of the adapter`,
  },
  {
    name: "DesignPatterns can omit name, parameters, params and resources",
    adapters: {
      inner: `DesignPattern: resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}`,
      it: `import "spec.example/inner"
DesignPattern: composites: [{pattern: inner.DesignPattern}]`,
    },
    expected: 'app/leaf = {"metadata":{"name":"leaf"}}',
  },
  {
    name: "an adapter with only pipelines compiles to nothing, with a notice",
    adapters: { it: "DesignPattern: {pipelines: build: {}, parameters: needed: string}" },
    expected:
      '! qvs.yaml:3:28: Adapter "spec.example/it" declares no resources\n  why: It compiles to nothing\n  → Nothing to do: pipelines run CI/CD adapters',
  },
  {
    name: "all resources of an adapter can depend on a parameter",
    adapters: {
      it: `DesignPattern: {
	parameters: {on: bool, name: string}
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: parameters.name}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true, name: it}}]",
    expected: 'app/it = {"metadata":{"name":"it"}}',
  },
  {
    name: "all resources of an adapter can depend on a parameter that has another default",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool | *false
	pipelines: build: {}
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: 'app/it = {"metadata":{"name":"it"}}',
  },
  {
    name: "all resources of a composite can depend on a parameter",
    adapters: {
      inner: `DesignPattern: {
	parameters: on: bool
	if parameters.on {resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}}
}`,
      it: `import "spec.example/inner"
DesignPattern: composites: [{pattern: inner.DesignPattern, params: on: true}]`,
    },
    expected: 'app/leaf = {"metadata":{"name":"leaf"}}',
  },
  {
    name: "all composites of an adapter can depend on a parameter",
    adapters: {
      inner: `DesignPattern: resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}`,
      it: `import "spec.example/inner"
DesignPattern: {
	parameters: on: bool
	if parameters.on {composites: [{pattern: inner.DesignPattern}]}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: 'app/leaf = {"metadata":{"name":"leaf"}}',
  },
  {
    name: "a parameter can depend on another one",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	if parameters.on {parameters: name: string}
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: parameters.name}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true, name: it}}]",
    expected: 'app/it = {"metadata":{"name":"it"}}',
  },
  {
    name: "a missing parameter that all resources depend on is an error",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    expected: `qvs.yaml:3:28: Parameter "on" of "spec.example/it" is missing
  and it/main.cue:3:14
  type: bool
  → Add "on" to the params of this pattern`,
  },
  {
    name: "a missing parameter is an error too if the adapter also has pipelines",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	pipelines: build: {}
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    expected: `qvs.yaml:3:28: Parameter "on" of "spec.example/it" is missing
  and it/main.cue:3:14
  type: bool
  → Add "on" to the params of this pattern`,
  },
  {
    name: "an undecidable condition on a parameter is an error too if the adapter has pipelines",
    adapters: {
      it: `DesignPattern: {
	parameters: debug?: bool
	pipelineParameters: debugPipeline: bool
	pipelines: build: {}
	if parameters.debug {resources: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    expected: `it/main.cue:6:16: Adapter "spec.example/it": optional field "debug" has no value
  and qvs.yaml:3:28
  path: DesignPattern
  → Set its value
    or test for it first in the adapter: \`if ….debug != _|_\``,
  },
  {
    name: "a condition on a part of a parameter is an error too if the adapter has pipelines",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	pipelines: build: {}
	resources: app: it: #ConfigMap & {metadata: name: "it"}
	if parameters.cfg.extra {resources: app: extra: #ConfigMap & {metadata: name: "extra"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {}}}]",
    expected: `it/main.cue:6:20: Adapter "spec.example/it": field "extra" doesn't exist
  and qvs.yaml:3:28
  path: DesignPattern
  → Declare the field
    or correct the name`,
  },
  {
    name: "an optional parameter of pipelines isn't an error",
    adapters: {
      it: `DesignPattern: {
	pipelineParameters: debug?: bool
	if pipelineParameters.debug {pipelines: debug: {}}
	pipelines: build: {}
	resources: app: it: #ConfigMap & {metadata: name: "it"}
}`,
    },
    expected: `app/it = {"metadata":{"name":"it"}}
! it/main.cue:4:24: Adapter "spec.example/it": optional field "debug" has no value
  and qvs.yaml:3:28
  path: DesignPattern
  → Set its value
    or test for it first in the adapter: \`if ….debug != _|_\``,
  },
  {
    name: "a misspelled parameter of an adapter that compiles to nothing is a warning",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool | *false
	pipelines: build: {}
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {onn: true}}]",
    expected: `! qvs.yaml:3:59: Parameter "onn" isn't declared by "spec.example/it"
  → Did you mean "on"?
    or remove "onn"
    or rename it to a parameter of the adapter
! qvs.yaml:3:28: Adapter "spec.example/it" declares no resources
  why: It compiles to nothing
  → Nothing to do: pipelines run CI/CD adapters`,
  },
  {
    name: "an adapter whose condition leaves out all resources compiles to nothing, with a notice",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	if parameters.on {resources: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: false}}]",
    expected:
      '! qvs.yaml:3:28: Adapter "spec.example/it" declares no resources\n  why: It compiles to nothing\n  → If it should have resources, check the parameters in its conditions',
  },
  {
    name: "an adapter that composes only such adapters compiles to nothing too",
    adapters: {
      ci: "DesignPattern: pipelines: build: {}",
      it: `import "spec.example/ci"
DesignPattern: composites: [{pattern: ci.DesignPattern, pipelineParams: useDebug: true}]`,
    },
    expected:
      '! qvs.yaml:3:28: Adapter "spec.example/it" declares no resources\n  why: It compiles to nothing\n  → Nothing to do: pipelines run CI/CD adapters',
  },
  {
    name: "composites are compiled recursively, at any depth",
    adapters: {
      a: leaf,
      b: `import "spec.example/a"
DesignPattern: {parameters: n: string, composites: [{pattern: a.DesignPattern, params: n: parameters.n + "-b"}]}`,
      c: `import "spec.example/b"
DesignPattern: {parameters: n: string, composites: [{pattern: b.DesignPattern, params: n: parameters.n + "-c"}]}`,
      d: `import "spec.example/c"
DesignPattern: {parameters: n: string, composites: [{pattern: c.DesignPattern, params: n: parameters.n + "-d"}]}`,
      it: `import "spec.example/d"
DesignPattern: composites: [{pattern: d.DesignPattern, params: n: "it"}]`,
    },
    expected: 'app/leaf = {"metadata":{"name":"it-d-c-b"}}',
  },
  {
    name: "a comprehension can build a list of composites",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	parameters: {names: [...string], extra: bool}
	composites: [
		for name in parameters.names {pattern: a.DesignPattern, params: n: name, group: name},
		if parameters.extra {{pattern: a.DesignPattern, params: n: "extra"}},
	]
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {names: [x, y], extra: false}}]",
    expected: 'app/x/leaf = {"metadata":{"name":"x"}}\napp/y/leaf = {"metadata":{"name":"y"}}',
  },
  {
    name: "a list of composites that cannot be evaluated is an error, not a list without them",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	parameters: extra?: bool
	composites: [
		{pattern: a.DesignPattern, params: n: "a"},
		if parameters.extra {{pattern: a.DesignPattern, params: n: "extra"}},
	]
}`,
    },
    expected: `it/main.cue:7:17: Adapter "spec.example/it": optional field "extra" has no value
  and qvs.yaml:3:28
  path: composites
  → Set its value
    or test for it first in the adapter: \`if ….extra != _|_\``,
  },
  {
    name: "a pattern that its package doesn't have is an error",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: composites: [{pattern: a.DesignPatterns, params: n: "a"}]`,
    },
    expected: `it/main.cue:3:41: composites[0] of "spec.example/it": field "DesignPatterns" doesn't exist
  path: pattern
  → Did you mean "DesignPattern"?`,
  },
  {
    name: "a pattern that is selected by a parameter without a value is an error",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	parameters: on: string | *"x"
	composites: [{pattern: {y: a.DesignPattern}[parameters.on]}]
}`,
    },
    expected: `it/main.cue:5:46: composites[0] of "spec.example/it": field "x" doesn't exist
  path: pattern
  → Did you mean "a"?`,
  },
  {
    name: "a package isn't a pattern",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: composites: [{pattern: a, params: n: "a"}]`,
    },
    expected: `it/main.cue:3:30: composites[0] of "spec.example/it" has a package as its pattern
  → Write \`pattern: PACKAGE.DesignPattern\``,
  },
  {
    name: "a string, null and any value aren't patterns",
    adapters: {
      a: leaf,
      it: `DesignPattern: composites: [{pattern: "spec.example/a"}, {pattern: null}, {pattern: _}, {pattern: {}}]`,
    },
    expected: `it/main.cue:2:30: composites[0] of "spec.example/it" has a pattern that isn't an adapter
  → Write \`pattern: PACKAGE.DesignPattern\`
it/main.cue:2:59: composites[1] of "spec.example/it" has a pattern that isn't an adapter
  → Write \`pattern: PACKAGE.DesignPattern\`
it/main.cue:2:76: composites[2] of "spec.example/it" has a pattern that isn't an adapter
  → Write \`pattern: PACKAGE.DesignPattern\`
it/main.cue:2:90: composites[3] of "spec.example/it" has a pattern that isn't an adapter
  → Write \`pattern: PACKAGE.DesignPattern\``,
  },
  {
    name: "an adapter can be composed of itself, if the recursion ends",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
_d: {
	parameters: n: int
	if parameters.n > 0 {composites: [{pattern: _d, params: n: parameters.n - 1}]}
	resources: app: "r\\(parameters.n)": {kind: "ConfigMap", apiVersion: "v1", metadata: name: "r\\(parameters.n)"}
}
DesignPattern: composites: [{pattern: _d, params: n: 2}, {pattern: a.DesignPattern, params: n: "a"}]`,
    },
    expected: `app/leaf = {"metadata":{"name":"a"}}
app/r0 = {"metadata":{"name":"r0"}}
app/r1 = {"metadata":{"name":"r1"}}
app/r2 = {"metadata":{"name":"r2"}}`,
  },
  {
    name: "params that depend on an unknown value are an error",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	parameters: on?: bool
	composites: [{pattern: a.DesignPattern, if parameters.on {params: n: "x"}}, {pattern: a.DesignPattern, params: {if parameters.on {n: "x"}}}]
}`,
    },
    expected: `it/main.cue:5:56: composites[0] of "spec.example/it": optional field "on" has no value
  → Set its value
    or test for it first in the adapter: \`if ….on != _|_\`
it/main.cue:5:128: composites[1] of "spec.example/it": optional field "on" has no value
  path: params
  → Set its value
    or test for it first in the adapter: \`if ….on != _|_\``,
  },
  {
    name: "a group without a value is an error",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	parameters: g?: string
	composites: [{pattern: a.DesignPattern, params: n: "x", group: parameters.g}, {pattern: a.DesignPattern, params: n: "x", group: 5}]
}`,
    },
    expected: `it/main.cue:5:58: composites[0] of "spec.example/it" has a group that isn't a string
  → Set the parameter that it is made from
    or write a name
it/main.cue:5:123: composites[1] of "spec.example/it" has a group that isn't a string
  → Set the parameter that it is made from
    or write a name`,
  },
  {
    name: "an unknown key is an error",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: composites: [{pattern: a.DesignPattern, params: n: "x", gruop: "g"}, {pattern: a.DesignPattern, param: n: "x"}]`,
    },
    expected: `it/main.cue:3:72: composites[0] of "spec.example/it" has the unknown field "gruop"
  → Did you mean "group"?
it/main.cue:3:112: composites[1] of "spec.example/it" has the unknown field "param"
  → Did you mean "params"?`,
  },
  {
    name: "a misspelled field of the adapter is an error, even next to the right one",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern, params: n: "x"}]
	resources: app: w: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "w"}
	resource: app: lost: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "lost"}
	defers: app: {}
}`,
    },
    expected: `it/main.cue:6:2: Adapter "spec.example/it" has the unknown field "resource"
  and qvs.yaml:3:28
  → Did you mean "resources"?
it/main.cue:7:2: Adapter "spec.example/it" has the unknown field "defers"
  and qvs.yaml:3:28
  → Did you mean "defer"?`,
  },
  {
    name: "a conflict in an element of that list is an error too",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: composites: [{pattern: a.DesignPattern, params: n: "a"}, {pattern: a.DesignPattern, params: n: "x" & "y"}]`,
    },
    expected: `it/main.cue:3:111: Adapter "spec.example/it": two values conflict
  and qvs.yaml:3:28
  path: composites
  → Set the parameters that the condition or loop reads
    or correct the adapter`,
  },
  {
    name: "an undecidable condition around a stage is an error instead of a missing stage",
    adapters: {
      it: `DesignPattern: {
	parameters: debug?: bool
	resources: {
		if parameters.debug {appSetup: extra: #ConfigMap & {metadata: name: "extra"}}
		app: it: #ConfigMap & {metadata: name: "it"}
	}
}`,
    },
    expected: `it/main.cue:5:17: Adapter "spec.example/it": optional field "debug" has no value
  and qvs.yaml:3:28
  path: resources
  → Set its value
    or test for it first in the adapter: \`if ….debug != _|_\``,
  },
  {
    name: "an undecidable condition around resources is an error instead of missing resources",
    adapters: {
      it: `DesignPattern: {
	parameters: debug?: bool
	if parameters.debug {resources: app: extra: #ConfigMap & {metadata: name: "extra"}}
	resources: app: it: #ConfigMap & {metadata: name: "it"}
}`,
    },
    expected: `it/main.cue:4:16: Adapter "spec.example/it": optional field "debug" has no value
  and qvs.yaml:3:28
  path: DesignPattern
  → Set its value
    or test for it first in the adapter: \`if ….debug != _|_\``,
  },
  {
    name: "it is only a warning if it might be about pipelines, whose params aren't bound here",
    adapters: {
      it: `DesignPattern: {
	pipelineParameters: debug: bool
	if pipelineParameters.debug {pipelines: debug: {}}
	resources: app: it: #ConfigMap & {metadata: name: "it"}
}`,
    },
    expected: `app/it = {"metadata":{"name":"it"}}
! it/main.cue:3:29: Adapter "spec.example/it" can't be evaluated
  and qvs.yaml:3:28
  path: DesignPattern
  cue: incomplete bool: bool
  → Set the parameters that the condition or loop reads
    or correct the adapter`,
  },
  {
    name: "a pattern can be a definition of the same file",
    adapters: {
      it: `
#Leaf: {
	parameters: n: string
	resources: app: leaf: #ConfigMap & {metadata: name: parameters.n}
}
DesignPattern: composites: [{pattern: #Leaf, params: n: "it"}]`,
    },
    expected: 'app/leaf = {"metadata":{"name":"it"}}',
  },
  {
    name: "a pattern can be an inline struct",
    adapters: {
      it: `
DesignPattern: composites: [{
	pattern: {parameters: n: string, resources: app: leaf: #ConfigMap & {metadata: name: parameters.n}}
	params: n: "it"
}]`,
    },
    expected: 'app/leaf = {"metadata":{"name":"it"}}',
  },
  {
    name: "a pattern can have the type that the specification shows",
    adapters: {
      it: `
#DesignPattern: {
	name:        string
	description: string | *""
	parameters: {[string]: _}
	composites?: [...{pattern: #DesignPattern, params: {[string]: _}, pipelineParams?: {...}, group?: string}]
	group: string | *""
	resources?: {appSetup?: {[string]: {...}}, app?: {[string]: {...}}}
	defer?: {appSetup?: {[string]: {...}}, app?: {[string]: {...}}}
}
_leaf: #DesignPattern & {
	name: "leaf"
	parameters: n: string
	resources: app: leaf: #ConfigMap & {metadata: name: parameters.n}
}
DesignPattern: #DesignPattern & {
	name: "it"
	parameters: n: string
	composites: [{pattern: _leaf, params: n: parameters.n}]
	resources: app: leaf: metadata: labels: of: name
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {n: a}}]",
    expected: 'app/leaf = {"metadata":{"labels":{"of":"it"},"name":"a"}}',
  },
  {
    name: "an element of composites without a pattern is an error",
    adapters: { it: "DesignPattern: composites: [{params: n: 1}]" },
    expected: `it/main.cue:2:29: composites[0] of "spec.example/it" has no pattern
  → Add \`pattern: PACKAGE.DesignPattern\` to it`,
  },
  {
    name: "the same id in two places is one resource, separately in each stage",
    adapters: {
      a: `DesignPattern: resources: {
	appSetup: both: #ConfigMap & {metadata: name: "setup", data: a: "1"}
	app: both: #ConfigMap & {metadata: name: "app", data: a: "1"}
}`,
      b: `DesignPattern: resources: {
	appSetup: both: {data: b: "2", ...}
	app: both: {data: b: "3", ...}
}`,
      it: `import ("spec.example/a", "spec.example/b")
DesignPattern: composites: [{pattern: a.DesignPattern}, {pattern: b.DesignPattern}]`,
    },
    expected: `appSetup/both = {"data":{"a":"1","b":"2"},"metadata":{"name":"setup"}}
app/both = {"data":{"a":"1","b":"3"},"metadata":{"name":"app"}}`,
  },
  {
    name: "an adapter adds a sidecar to another one's resource",
    adapters: {
      a: `DesignPattern: resources: app: web: #Object & {apiVersion: "apps/v1", kind: "Deployment", metadata: name: "web", spec: template: spec: containers: [{name: "web"}, ...]}`,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern}]
	resources: app: web: spec: template: spec: containers: [_, {name: "sidecar"}]
}`,
    },
    expected:
      'app/web = {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"web"},{"name":"sidecar"}]}}}}',
  },
  {
    name: "with `group: g`, ids become `g/<id>` and match only the same group",
    adapters: {
      a: leaf,
      b: `DesignPattern: resources: app: leaf: {metadata: labels: b: "yes", ...}`,
      it: `import ("spec.example/a", "spec.example/b")
DesignPattern: composites: [
	{pattern: a.DesignPattern, params: n: "x", group: "x"},
	{pattern: a.DesignPattern, params: n: "y", group: "y"},
	{pattern: b.DesignPattern, group: "y"},
]`,
    },
    expected:
      'app/x/leaf = {"metadata":{"name":"x"}}\napp/y/leaf = {"metadata":{"labels":{"b":"yes"},"name":"y"}}',
  },
  {
    name: "groups are nested: the group of an adapter is within the group of its use",
    adapters: {
      a: leaf,
      b: `import "spec.example/a"
DesignPattern: composites: [{pattern: a.DesignPattern, params: n: "a", group: "inner"}]`,
      it: `import "spec.example/b"
DesignPattern: composites: [{pattern: b.DesignPattern, group: "outer"}]`,
    },
    expected: 'app/outer/inner/leaf = {"metadata":{"name":"a"}}',
  },
  {
    name: "the adapter itself adds to a resource of a group by its whole id",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern, params: n: "a", group: "g"}]
	resources: app: "g/leaf": metadata: labels: by: "it"
}`,
    },
    expected: 'app/g/leaf = {"metadata":{"labels":{"by":"it"},"name":"a"}}',
  },
  {
    name: "the deprecated group of the adapter counts if its use has none",
    adapters: {
      a: leaf.replace("DesignPattern: {", 'DesignPattern: {\n\tgroup: "own"'),
      it: `import "spec.example/a"
DesignPattern: composites: [
	{pattern: a.DesignPattern, params: n: "a"},
	{pattern: a.DesignPattern, params: n: "b", group: "given"},
]`,
    },
    expected:
      'app/given/leaf = {"metadata":{"name":"b"}}\napp/own/leaf = {"metadata":{"name":"a"}}',
  },
  {
    name: "the deprecated group counts for designPatterns too, and an empty one is none",
    adapters: {
      it: leaf.replace("DesignPattern: {", 'DesignPattern: {\n\tgroup: "own"'),
      none: leaf.replace("DesignPattern: {", 'DesignPattern: {\n\tgroup: string | *""'),
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {n: a}}, {pattern: spec.example/none, params: {n: b}}]",
    expected: 'app/leaf = {"metadata":{"name":"b"}}\napp/own/leaf = {"metadata":{"name":"a"}}',
  },
  {
    name: "designPatterns share the ids of one group",
    adapters: {
      it: leaf,
      b: `DesignPattern: resources: app: leaf: {metadata: labels: b: "yes", ...}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {n: a}, group: g}, {pattern: spec.example/b, group: g}]",
    expected: 'app/g/leaf = {"metadata":{"labels":{"b":"yes"},"name":"a"}}',
  },
  {
    name: "defer is evaluated last: it iterates over composed resources, fills them and adds more",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern, params: n: "a"}]
	resources: app: own: #ConfigMap & {metadata: name: "own"}
	defer: {
		app: {for id, r in resources.app {"\\(id)": metadata: labels: name: r.metadata.name}}
		appSetup: index: #ConfigMap & {metadata: name: "index", data: {for id, _ in resources.app {"\\(id)": "yes"}}}
	}
}`,
    },
    expected: `appSetup/index = {"data":{"leaf":"yes","own":"yes"},"metadata":{"name":"index"}}
app/leaf = {"metadata":{"labels":{"name":"a"},"name":"a"}}
app/own = {"metadata":{"labels":{"name":"own"},"name":"own"}}`,
  },
  {
    name: "the defer of a composite sees its own resources, but not those of its user",
    adapters: {
      a: `DesignPattern: {
	resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}
	defer: app: {for id, _ in resources.app {"\\(id)": metadata: labels: seen: "a"}}
}`,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern}]
	resources: app: own: #ConfigMap & {metadata: name: "own"}
}`,
    },
    expected:
      'app/leaf = {"metadata":{"labels":{"seen":"a"},"name":"leaf"}}\napp/own = {"metadata":{"name":"own"}}',
  },
  {
    name: "the defer of an outer adapter sees the resources that an inner one added",
    adapters: {
      a: `DesignPattern: {
	resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}
	defer: app: {for id, _ in resources.app {"\\(id)-copy": #ConfigMap & {metadata: name: "\\(id)-copy"}}}
}`,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern, group: "g"}]
	resources: app: {...}
	defer: app: {for id, _ in resources.app {"\\(id)": metadata: labels: seen: id}}
}`,
    },
    expected: `app/g/leaf = {"metadata":{"labels":{"seen":"g/leaf"},"name":"leaf"}}
app/g/leaf-copy = {"metadata":{"labels":{"seen":"g/leaf-copy"},"name":"leaf-copy"}}`,
  },
  {
    name: "defer sees resources even if the adapter declares none",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: {
	resources: _
	composites: [{pattern: a.DesignPattern, params: n: "a"}]
	defer: app: {for id, _ in resources.app {"\\(id)": metadata: labels: seen: "yes"}}
}`,
    },
    expected: 'app/leaf = {"metadata":{"labels":{"seen":"yes"},"name":"a"}}',
  },
  {
    name: "everything must be concrete",
    adapters: {
      it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it", data: a: string}`,
    },
    expected: `it/main.cue:2:81: Resource app/it: data.a has no value
  type: string
  → Set the parameter that it is made from
    or set it in the adapter`,
  },
  {
    name: "conflicts name both source positions",
    adapters: {
      a: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it", data: a: "1"}`,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [{pattern: a.DesignPattern}]
	resources: app: it: data: a: "2"
}`,
    },
    expected: `a/main.cue:2:81: Resource app/it: data.a has two different values
  and it/main.cue:5:31
  values: "1" and "2"
  set by: "spec.example/a" and "spec.example/it"
  → Change the parameter that one of the values comes from
    or change the adapter`,
  },
  {
    name: "provider, apiVersion, kind and metadata.name are required, and all missing ones are reported",
    adapters: { it: `DesignPattern: resources: app: it: {provider: "kubernetes", spec: {}}` },
    expected: `it/main.cue:2:32: Resource app/it has no apiVersion, kind and metadata.name
  → Set apiVersion, kind and metadata.name in the adapter`,
  },
  {
    name: "the exported manifest drops provider and output, but not nested fields with these names",
    adapters: {
      it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it", output: ["x"], data: {provider: "a", output: "b"}}`,
    },
    expected: 'app/it = {"data":{"output":"b","provider":"a"},"metadata":{"name":"it"}}',
  },
  {
    name: "empty structs, lists and strings and nulls are kept",
    adapters: {
      it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: {name: "it", labels: {}}, data: {a: [], b: "", c: null, d: [{}], e: false, f: 0}}`,
    },
    expected:
      'app/it = {"data":{"a":[],"b":"","c":null,"d":[{}],"e":false,"f":0},"metadata":{"labels":{},"name":"it"}}',
  },
  {
    name: "an integer beyond 2^53 keeps all digits if possible, and is rejected otherwise",
    adapters: {
      it: `DesignPattern: resources: app: {
	a: #ConfigMap & {metadata: name: "a", data: {a: 9007199254740992, b: 1152921504606846976, c: -9007199254740993}}
	b: #ConfigMap & {metadata: name: "b", data: list: [{n: 9223372036854775807}]}
	c: #ConfigMap & {metadata: name: "c", data: n: 1e400}
	d: #ConfigMap & {metadata: name: "d", data: n: "9223372036854775807"}
}`,
    },
    expected: `it/main.cue:3:92: Resource app/a: a number would lose digits
  path: data.c
  found: -9007199254740993
  limit: 2^53
  → Correct the adapter
    or correct the parameter that it is made from
it/main.cue:4:54: Resource app/b: a number would lose digits
  path: data.list[0].n
  found: 9223372036854775807
  limit: 2^53
  → Correct the adapter
    or correct the parameter that it is made from
it/main.cue:5:46: Resource app/c: a number would lose digits
  path: data.n
  found: 1e+400
  limit: 2^53
  → Correct the adapter
    or correct the parameter that it is made from`,
  },
  {
    name: "integers are the same with and without a fraction",
    adapters: {
      it: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it", data: {a: 1.0, b: 1e3, c: 0.1, d: 1Gi, e: 9007199254740992}}`,
    },
    expected:
      'app/it = {"data":{"a":1,"b":1000,"c":0.1,"d":1073741824,"e":9007199254740992},"metadata":{"name":"it"}}',
  },
  {
    name: "two ids of one object are an error with both ids",
    adapters: {
      it: `DesignPattern: resources: {
	appSetup: a: #ConfigMap & {metadata: {name: "same", namespace: "x"}}
	app: b: #ConfigMap & {metadata: {name: "same", namespace: "x"}}
	app: c: #ConfigMap & {metadata: {name: "same", namespace: "y"}}
}`,
    },
    expected: `it/main.cue:3:12: ConfigMap x/same is declared by 2 resources
  and it/main.cue:4:7
  resources: appSetup/a, app/b
  → Give them one resource id, so that qvs unifies them
    or give the objects different names`,
  },
  {
    name: "two groups of an adapter with the same object names are an error too",
    adapters: {
      a: leaf,
      it: `import "spec.example/a"
DesignPattern: composites: [
	{pattern: a.DesignPattern, params: n: "same", group: "x"},
	{pattern: a.DesignPattern, params: n: "same", group: "y"},
]`,
    },
    expected: `ConfigMap same is declared by 2 resources
  resources: app/x/leaf, app/y/leaf
  → Give them one resource id, so that qvs unifies them
    or give the objects different names`,
  },
  {
    name: "an undecidable condition is an error next to a resource with the id app",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	resources: app: {
		app: #ConfigMap & {metadata: name: "x"}
		if parameters.cfg.web.enabled {web: #ConfigMap & {metadata: name: "web"}}
	}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {web: {enable: true}}}}]",
    expected: `it/main.cue:6:25: Adapter "spec.example/it": field "enabled" doesn't exist
  and qvs.yaml:3:28
  path: resources.app
  → Declare the field
    or correct the name`,
  },
  {
    name: "an undecidable condition is an error next to a resource with the id appSetup",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	resources: app: {
		appSetup: #ConfigMap & {metadata: name: "x"}
		if parameters.cfg.web.enabled {web: #ConfigMap & {metadata: name: "web"}}
	}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {web: {enable: true}}}}]",
    expected: `it/main.cue:6:25: Adapter "spec.example/it": field "enabled" doesn't exist
  and qvs.yaml:3:28
  path: resources.app
  → Declare the field
    or correct the name`,
  },
  {
    name: "an undecidable condition is an error next to a resource with the id resources",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	resources: app: {
		resources: #ConfigMap & {metadata: name: "x"}
		if parameters.cfg.web.enabled {web: #ConfigMap & {metadata: name: "web"}}
	}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {web: {enable: true}}}}]",
    expected: `it/main.cue:6:25: Adapter "spec.example/it": field "enabled" doesn't exist
  and qvs.yaml:3:28
  path: resources.app
  → Declare the field
    or correct the name`,
  },
  {
    name: "an undecidable condition is an error next to a resource with the id DesignPattern",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	resources: app: {
		DesignPattern: #ConfigMap & {metadata: name: "x"}
		if parameters.cfg.web.enabled {web: #ConfigMap & {metadata: name: "web"}}
	}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {web: {enable: true}}}}]",
    expected: `it/main.cue:6:25: Adapter "spec.example/it": field "enabled" doesn't exist
  and qvs.yaml:3:28
  path: resources.app
  → Declare the field
    or correct the name`,
  },
  {
    name: "an undecidable loop in defer is an error, also with such an id",
    adapters: {
      it: `DesignPattern: {
	parameters: list?: [...string]
	resources: app: app: #ConfigMap & {metadata: name: "app"}
	defer: app: {
		app: metadata: labels: a: "b"
		for n in parameters.list {(n): #ConfigMap & {metadata: name: n}}
	}
}`,
    },
    expected: `it/main.cue:7:23: Adapter "spec.example/it": optional field "list" has no value
  and qvs.yaml:3:28
  path: defer.app
  → Set its value
    or test for it first in the adapter: \`if ….list != _|_\``,
  },
  {
    name: "a misspelled stage of resources is an error, also inside a condition",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.on {resources: apps: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:31: Adapter "spec.example/it": resources has the unknown stage "apps"
  and qvs.yaml:3:28
  → Did you mean "app"?`,
  },
  {
    name: "a misspelled stage of defer is an error, also inside a condition",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.on {defer: apps: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:27: Adapter "spec.example/it": defer has the unknown stage "apps"
  and qvs.yaml:3:28
  → Did you mean "app"?`,
  },
  {
    name: "a misspelled name of resources is an error, also inside a condition",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.on {resource: app: it: #ConfigMap & {metadata: name: "it"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:20: Adapter "spec.example/it" has the unknown field "resource"
  and qvs.yaml:3:28
  → Did you mean "resources"?`,
  },
  {
    name: "a misspelled name of composites is an error, also inside a condition",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.on {composite: [{pattern: resources: app: it: #ConfigMap & {metadata: name: "it"}}]}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:20: Adapter "spec.example/it" has the unknown field "composite"
  and qvs.yaml:3:28
  → Did you mean "composites"?`,
  },
  {
    name: "a misspelled name of group is an error, also inside a condition",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.on {groups: "g"}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:20: Adapter "spec.example/it" has the unknown field "groups"
  and qvs.yaml:3:28
  → Did you mean "group"?`,
  },
  {
    name: "composites that aren't a list are an error, also inside a condition",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.on {composites: y: pattern: resources: app: y: #ConfigMap & {metadata: name: "y"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:20: Adapter "spec.example/it": composites isn't a list
  and qvs.yaml:3:28
  → Write composites: [{pattern: PACKAGE.DesignPattern, params: {…}}]`,
  },
  {
    name: "a misspelled field in a condition is an error too if the adapter has only pipelines",
    adapters: {
      it: `DesignPattern: {
	parameters: on: bool
	pipelines: build: {}
	if parameters.on {resource: app: x: #ConfigMap & {metadata: name: "x"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {on: true}}]",
    expected: `it/main.cue:5:20: Adapter "spec.example/it" has the unknown field "resource"
  and qvs.yaml:3:28
  → Did you mean "resources"?`,
  },
  {
    name: "an error in an ignored field is an error, because it hides an undecidable condition",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	pipelines: a: 1 & 2
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.cfg.on {resources: app: y: #ConfigMap & {metadata: name: "y"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {}}}]",
    expected: `it/main.cue:4:16: Adapter "spec.example/it": two values conflict
  and qvs.yaml:3:28
  path: DesignPattern
  → Set the parameters that the condition or loop reads
    or correct the adapter`,
  },
  {
    name: "a parameter of pipelines with the name of a part of a parameter doesn't make its condition a warning",
    adapters: {
      it: `DesignPattern: {
	parameters: cfg: {...}
	pipelineParameters: enabled?: bool
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.cfg.enabled {resources: app: y: #ConfigMap & {metadata: name: "y"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {}}}]",
    expected: `it/main.cue:6:20: Adapter "spec.example/it": field "enabled" doesn't exist
  and qvs.yaml:3:28
  path: DesignPattern
  → Declare the field
    or correct the name`,
  },
  {
    name: "the default of a disjunction counts for an adapter, its resources, and a composite",
    adapters: {
      it: `
_a: resources: app: a: #ConfigMap & {metadata: name: "a"}
_b: resources: app: b: #ConfigMap & {metadata: name: "b"}
DesignPattern: *{
	resources: *{app: x: #ConfigMap & {metadata: name: "x"}} | {app: y: #ConfigMap & {metadata: name: "y"}}
	composites: [{pattern: *_a | _b}]
} | {resources: app: z: #ConfigMap & {metadata: name: "z"}}`,
    },
    expected: `app/a = {"metadata":{"name":"a"}}
app/x = {"metadata":{"name":"x"}}`,
  },
  {
    name: "resources without a default among several forms are an error",
    adapters: {
      it: `DesignPattern: resources: {app: x: #ConfigMap & {metadata: name: "x"}} | {app: y: #ConfigMap & {metadata: name: "y"}}`,
    },
    expected: `it/main.cue:2:16: Adapter "spec.example/it": several forms are possible
  and qvs.yaml:3:28
  path: resources
  → Mark one of them as the default with \`*\`
    or set the parameter that selects one`,
  },
  {
    name: "a pattern without a default among several forms is an error",
    adapters: {
      it: `
_a: resources: app: a: #ConfigMap & {metadata: name: "a"}
_b: resources: app: b: #ConfigMap & {metadata: name: "b"}
DesignPattern: composites: [{pattern: _a | _b}]`,
    },
    expected: `it/main.cue:5:30: composites[0] of "spec.example/it": several forms are possible
  path: pattern
  → Mark one of them as the default with \`*\`
    or set the parameter that selects one`,
  },
  {
    name: "composites that depend on resources of composites are an error",
    adapters: {
      it: `
_leaf: resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}
DesignPattern: {
	let all = resources
	resources: app: {...}
	composites: [{pattern: _leaf}, if all.app.leaf != _|_ {pattern: _leaf, group: "g"}]
}`,
    },
    expected: `it/main.cue:7:2: composites of "spec.example/it" depends on resources
  and qvs.yaml:3:28
  why: qvs composes all composites before it evaluates resources
  → Make composites depend only on parameters
    or add the resources in \`defer\``,
  },
  {
    name: "a pattern that depends on resources of composites is an error",
    adapters: {
      it: `
_leaf: resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}
DesignPattern: {
	resources: app: {...}
	composites: [{pattern: {_leaf, if resources.app.leaf != _|_ {resources: app: extra: #ConfigMap & {metadata: name: "extra"}}}}]
}`,
    },
    expected: `it/main.cue:6:2: composites of "spec.example/it" depends on resources
  and qvs.yaml:3:28
  why: qvs composes all composites before it evaluates resources
  → Make composites depend only on parameters
    or add the resources in \`defer\``,
  },
  {
    name: "a required field that nothing sets is an error",
    adapters: {
      it: `DesignPattern: {
	resources: {
		app: x: #ConfigMap & {metadata: name: "x"}
		app: y!: #ConfigMap & {metadata: name: "y"}
		appSetup!: z: #ConfigMap & {metadata: name: "z"}
	}
}`,
    },
    expected: `it/main.cue:5:8: Adapter "spec.example/it": required field "y" isn't set
  and qvs.yaml:3:28
  path: resources.app
  → Write "y:" instead of "y!:" if this is its value
    or set it
it/main.cue:6:3: Adapter "spec.example/it": required field "appSetup" isn't set
  and qvs.yaml:3:28
  path: resources
  → Write "appSetup:" instead of "appSetup!:" if this is its value
    or set it`,
  },
  {
    name: "a required key of a composite that nothing sets is an error",
    adapters: {
      it: `DesignPattern: composites: [{pattern: resources: app: l: #ConfigMap & {metadata: name: "l"}, group!: "g"}]`,
    },
    expected: `it/main.cue:2:94: composites[0] of "spec.example/it": required field "group" isn't set
  → Write "group:" instead of "group!:" if this is its value
    or set it`,
  },
  {
    name: "a required field of the DesignPattern that nothing sets is an error",
    adapters: {
      it: `DesignPattern: {resources!: app: x: #ConfigMap & {metadata: name: "x"}, health: []}`,
    },
    expected: `it/main.cue:2:17: Adapter "spec.example/it": required field "resources" isn't set
  and qvs.yaml:3:28
  path: DesignPattern
  → Write "resources:" instead of "resources!:" if this is its value
    or set it`,
  },
  {
    name: "patterns of resources apply to resources that defer adds",
    adapters: {
      it: `DesignPattern: {
	resources: [string]: [_]: metadata: namespace: "ns"
	resources: app: one: #ConfigMap & {metadata: name: "one"}
	defer: app: two: #ConfigMap & {metadata: name: "two"}
	defer: appSetup: three: #ConfigMap & {metadata: name: "three"}
}`,
    },
    expected: `appSetup/three = {"metadata":{"name":"three","namespace":"ns"}}
app/one = {"metadata":{"name":"one","namespace":"ns"}}
app/two = {"metadata":{"name":"two","namespace":"ns"}}`,
  },
  {
    name: "an undecidable condition is an error behind a reference too",
    adapters: {
      it: `
_cfg: q?: bool
_leaf: {
	resources: app: l: #ConfigMap & {metadata: name: "l"}
	if _cfg.q {resources: app: m: #ConfigMap & {metadata: name: "m"}}
}
DesignPattern: composites: [{pattern: _leaf}]`,
    },
    expected: `it/main.cue:6:10: Adapter "spec.example/it → composites[0]": optional field "q" has no value
  and it/main.cue:8:29
  path: DesignPattern
  → Set its value
    or test for it first in the adapter: \`if ….q != _|_\``,
  },
  {
    name: "a list of composites behind a reference that cannot be evaluated is an error",
    adapters: {
      it: `
_cfg: q?: bool
_leaf: resources: app: l: #ConfigMap & {metadata: name: "l"}
_list: [{pattern: _leaf}, if _cfg.q {pattern: _leaf, group: "g"}]
DesignPattern: composites: _list`,
    },
    expected: `it/main.cue:5:35: Adapter "spec.example/it": optional field "q" has no value
  and qvs.yaml:3:28
  path: composites
  → Set its value
    or test for it first in the adapter: \`if ….q != _|_\``,
  },
  {
    name: "resources behind a reference that cannot be evaluated are an error",
    adapters: {
      it: `
_cfg: q?: bool
_all: {app: x: #ConfigMap & {metadata: name: "x"}, if _cfg.q {app: y: #ConfigMap & {metadata: name: "y"}}}
DesignPattern: resources: _all`,
    },
    expected: `it/main.cue:4:60: Adapter "spec.example/it": optional field "q" has no value
  and qvs.yaml:3:28
  path: resources
  → Set its value
    or test for it first in the adapter: \`if ….q != _|_\``,
  },
  {
    name: "a condition of a pattern in place can depend on its own parameter",
    adapters: {
      it: `DesignPattern: composites: [{
	pattern: {
		parameters: on: bool
		if parameters.on {resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}}
	}
	params: on: true
}]`,
    },
    expected: `app/leaf = {"metadata":{"name":"leaf"}}`,
  },
  {
    name: "an undecidable condition around the DesignPattern is an error",
    adapters: {
      it: `
_cfg: q?: bool
DesignPattern: resources: app: x: #ConfigMap & {metadata: name: "x"}
if _cfg.q {DesignPattern: resources: app: y: #ConfigMap & {metadata: name: "y"}}`,
    },
    expected: `it/main.cue:5:9: Adapter "spec.example/it": optional field "q" has no value
  and qvs.yaml:3:28
  → Set its value
    or test for it first in the adapter: \`if ….q != _|_\``,
  },
  {
    name: "an undecidable condition around the DesignPattern of a composite is an error",
    adapters: {
      it: `import "spec.example/inner"
DesignPattern: composites: [{pattern: inner.DesignPattern}]`,
      inner: `
_cfg: q?: bool
DesignPattern: resources: app: x: #ConfigMap & {metadata: name: "x"}
if _cfg.q {DesignPattern: resources: app: y: #ConfigMap & {metadata: name: "y"}}`,
    },
    expected: `inner/main.cue:5:9: Adapter "spec.example/it → composites[0]": optional field "q" has no value
  and it/main.cue:3:29
  → Set its value
    or test for it first in the adapter: \`if ….q != _|_\``,
  },
  {
    name: "resources that aren't a struct are an error",
    adapters: { it: `DesignPattern: resources: [#ConfigMap & {metadata: name: "x"}]` },
    expected: `it/main.cue:2:16: Adapter "spec.example/it": resources isn't a struct
  and qvs.yaml:3:28
  → Write resources: app: ID: {kind: …}`,
  },
  {
    name: "health rules that cannot be evaluated are an error, not a list without them",
    adapters: {
      it: `
_cfg: q?: bool
DesignPattern: {
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	health: [if _cfg.q {{apiVersion: "a/v1", kind: "K", current: "true"}}]
}`,
    },
    expected: `it/main.cue:6:2: A health rule of adapter "spec.example/it" is invalid
  and qvs.yaml:3:28
  error: cannot reference optional field: q
  → Write {apiVersion: …, kind: …, current: …} with expressions in CEL`,
  },
  {
    name: "an undecidable condition in parameters is an error",
    adapters: {
      it: `DesignPattern: {
	parameters: {cfg: {...}, if cfg.on {extra: "yes"}}
	resources: app: x: #ConfigMap & {metadata: name: "x"}
	if parameters.extra != _|_ {resources: app: y: #ConfigMap & {metadata: name: "y"}}
}`,
    },
    use: "designPatterns: [{pattern: spec.example/it, params: {cfg: {}}}]",
    expected: `it/main.cue:3:34: Adapter "spec.example/it": field "on" doesn't exist
  and qvs.yaml:3:28
  path: parameters
  → Did you mean "x"?`,
  },
  {
    name: "a file with a misspelled package clause, or without one, is a warning",
    adapters: { it: `DesignPattern: resources: app: x: #ConfigMap & {metadata: name: "x"}` },
    others: {
      "it/more.cue": "package itt\n",
      "it/none.cue": "DesignPattern: {}\n",
      "it/other.cue": "package tools\n",
    },
    expected: `app/x = {"metadata":{"name":"x"}}
! it/more.cue:1:1: "it/more.cue" isn't part of package "it"
  and it/base.cue:1:1
  why: Its package clause is "itt"
  → Write \`package it\` in it
    or move it to its own directory
! it/none.cue:1:1: "it/none.cue" isn't part of package "it"
  and it/base.cue:1:1
  why: It has no package clause
  → Write \`package it\` in it
    or move it to its own directory`,
  },
  {
    name: "other packages in the directory of an adapter that the config names with its package are no mistake",
    adapters: { it: "" },
    others: {
      "it/simple.cue":
        'package simple\nDesignPattern: resources: app: x: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "x"}\n',
      "it/simpler.cue": "package simpler\nDesignPattern: {}\n",
    },
    use: "designPatterns: [{pattern: spec.example/it:simple}]",
    expected: `app/x = {"metadata":{"name":"x"}}`,
  },
];
