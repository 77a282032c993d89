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
];
