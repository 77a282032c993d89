package evaluator_test

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/provenance"
)

// Each adapter has `count` resources, fields or list items, or as many as its lists and maps have
// items.
var large = []struct{ name, adapter, of string }{
	{"resources of a range", `
		parameters: {count: int, namespace: string}
		resources: app: {
			for i in list.Range(0, parameters.count, 1) {
				"config\(i)": {metadata: {name: "config-\(i)", namespace: parameters.namespace}}
			}
		}`, "resources.app"},
	{"resources of a list, with conditions", `
		parameters: {apps: [...{name: string, size: int, on: bool | *true}], namespace: string}
		resources: app: {
			for i, a in parameters.apps if a.on {
				(a.name): {metadata: {name: a.name, namespace: parameters.namespace}, data: {size: a.size, if a.size > 3 {big: "yes"}}}
			}
		}`, "resources.app"},
	{"resources of a map, by way of templates", `
		parameters: {map: [string]: {size: int}, namespace: string}
		let p = parameters
		_object: {kind: "ConfigMap", metadata: namespace: p.namespace, ...}
		resources: app: {
			for k, a in p.map {
				let N = "x-\(k)"
				"\(N)": _object & {metadata: {name: N, ...}, data: size: a.size}
				for j in [1, 2] {"\(N)-\(j)": _object & {data: part: j}}
			}
		}`, "resources.app"},
	{"values from another field of the same list", `
		parameters: {apps: [...{name: string, size: int}]}
		_sizes: {for a in parameters.apps {(a.name): a.size}}
		_count: len(parameters.apps)
		resources: app: {
			for a in parameters.apps {(a.name): {size: _sizes[a.name], if _count > 2 {count: _count}}}
		}`, "resources.app"},
	{"defer over all resources", `
		parameters: {count: int, team: string}
		resources: app: {
			for i in list.Range(0, parameters.count, 1) {"c\(i)": {metadata: {name: "c-\(i)", ...}, ...}}
		}
		defer: app: {
			for id, r in resources.app {
				(id): metadata: labels: {team: parameters.team, copy: r.metadata.name, first: resources.app.c0.metadata.name}
			}
		}`, "defer.app"},
	{"fields and items of one resource", `
		parameters: {count: int, env: [string]: string}
		resources: app: one: {
			data: {for i in list.Range(0, parameters.count, 1) {"k\(i)": "v"}}
			copy: parameters.env
			items: [for k, v in parameters.env {name: k, value: v}]
			names: [for each in items {each.name}]
		}`, "resources.app"},
	{"params of composites", `
		parameters: {apps: [...{name: string, size: int}]}
		composites: [for a in parameters.apps {params: {name: a.name, size: a.size}}]
		`, "composites"},
}

// The steps of a trace must grow linearly with the number of resources.
func TestStepsGrowLinearlyWithTheSizeOfAnAdapter(t *testing.T) {
	for _, test := range large {
		t.Run(test.name, func(t *testing.T) {
			once, leaves := stepsOf(t, test.adapter, test.of, 200)
			twice, _ := stepsOf(t, test.adapter, test.of, 400)
			if float64(twice) > 2.1*float64(once) {
				t.Errorf("%d steps for 200, %d for 400", once, twice)
			}
			if each := once / leaves; each > 60 {
				t.Errorf("%d steps for each of %d leaves", each, leaves)
			}
		})
	}
}

func TestATraceStopsAtTheLimitOfSteps(t *testing.T) {
	// Each resource reads all others, so the size of the trace is quadratic.
	adapter := `
		parameters: {count: int}
		resources: app: {
			for i in list.Range(0, parameters.count, 1) {"c\(i)": {name: "c-\(i)", ...}}
		}
		defer: app: {
			for id, _ in resources.app {
				(id): all: strings.Join([for each in resources.app {each.name}], ",")
			}
		}`
	few, many := tracerOf(t, adapter, 20), tracerOf(t, adapter, 500)
	if _, ok := few.trace(t, "defer.app"); !ok {
		t.Error("20 resources have no trace")
	}
	for range 2 {
		if _, ok := many.trace(t, "defer.app"); ok {
			t.Error("500 resources have a trace")
		}
	}
	if _, ok := many.trace(t, "resources.app"); ok {
		t.Error("a tracer that was stopped went on")
	}
}

type traced struct {
	adapter cue.Value
	*provenance.Tracer
}

func stepsOf(t *testing.T, adapter, of string, count int) (steps, leaves int) {
	traced := tracerOf(t, adapter, count)
	if of == "composites" {
		return traced.composites(t)
	}
	found, ok := traced.trace(t, of)
	if !ok {
		t.Fatal("there is no trace")
	}
	return traced.Steps(), len(found)
}

// composites traces each composite with the same tracer.
func (t traced) composites(test *testing.T) (steps, leaves int) {
	list, err := t.adapter.LookupPath(cue.ParsePath("composites")).List()
	if err != nil {
		test.Fatal(err)
	}
	for list.Next() {
		found, ok := t.Leaves(list.Value().LookupPath(cue.ParsePath("params")))
		if !ok {
			test.Fatal("there is no trace")
		}
		leaves += len(found)
	}
	return t.Steps(), leaves
}

func (t traced) trace(test *testing.T, of string) ([]provenance.Leaf, bool) {
	value := t.adapter.LookupPath(cue.ParsePath(of))
	if err := value.Validate(); err != nil {
		test.Fatal(err)
	}
	return t.Leaves(value)
}

func tracerOf(t *testing.T, adapter string, count int) traced {
	t.Helper()
	text := "import (\n\"list\"\n\"strings\"\n)\n_used: [list.MaxItems(1), strings.MinRunes(1)]\nDesignPattern: {\n" + adapter + "\n}"
	context := cuecontext.New()
	bound := context.CompileString(text+given(adapter, count), cue.Filename("adapter.cue")).LookupPath(cue.ParsePath("DesignPattern"))
	if err := bound.Err(); err != nil {
		t.Fatal(err)
	}
	return traced{bound, provenance.New(bound, func(string) bool { return false })}
}

// given returns arguments for the parameters that an adapter declares.
func given(adapter string, count int) string {
	var list, fields []string
	for i := range count {
		list = append(list, fmt.Sprintf("{name: \"a%d\", size: %d}", i, i))
		fields = append(fields, fmt.Sprintf("\"a%d\": ", i))
	}
	arguments := map[string]string{
		"count":     fmt.Sprint(count),
		"namespace": `"shop"`,
		"team":      `"blue"`,
		"apps":      "[" + strings.Join(list, ", ") + "]",
		"map":       "{" + strings.Join(fields, "{size: 1}, ") + "{size: 1}}",
		"env":       "{" + strings.Join(fields, `"v", `) + `"v"}`,
	}
	declared := strings.SplitN(strings.TrimSpace(adapter), "\n", 2)[0]
	var text strings.Builder
	for name, argument := range arguments {
		if strings.Contains(declared, name+":") {
			fmt.Fprintf(&text, "\nDesignPattern: parameters: %s: %s", name, argument)
		}
	}
	return text.String()
}
