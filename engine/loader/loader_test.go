package loader_test

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/provenance"

	"qvs/engine/loader"
	"qvs/host/source"
)

const (
	moduleA = "module: \"a.example/m\"\n"
	moduleB = "module: \"b.example/m@v1\"\nlanguage: version: \"v0.16.0\"\n"
)

// check loads a package and compares its value, or its error, as text.
func check(t *testing.T, tree source.Memory, importPath, want string) *loader.Loader {
	t.Helper()
	l := loader.New(tree, modulesOf(t, tree))
	instance := l.Load(importPath)
	got := ""
	if instance.Err != nil {
		got = strings.TrimSpace(errors.Details(instance.Err, nil))
	} else {
		got = valueOrError(provenance.NewContext().BuildInstance(instance))
	}
	if got := strings.Join(strings.Fields(got), " "); got != want {
		t.Errorf("got:  %s\nwant: %s", got, want)
	}
	return l
}

func valueOrError(value cue.Value) string {
	if err := value.Err(); err != nil {
		return strings.TrimSpace(errors.Details(err, nil))
	}
	return fmt.Sprintf("%v", value)
}

func modulesOf(t *testing.T, tree source.Memory) []*loader.Module {
	t.Helper()
	var modules []*loader.Module
	for root := range tree {
		module, err := loader.ReadModule(tree, root, "", fmt.Sprintf("m%d/", root))
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, module)
	}
	return modules
}

func TestLoad(t *testing.T) {
	tests := []struct {
		name   string
		tree   source.Memory
		load   string
		result string
	}{
		{
			"one package of several in a directory",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/p.cue": "package p\na: 1", "x/q.cue": "package q\nb: 2"}},
			"a.example/m/x:q", "{ b: 2 }",
		},
		{
			"the last element of the path is the package",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\na: 1", "x/y.cue": "package y\nb: 2"}},
			"a.example/m/x", "{ a: 1 }",
		},
		{
			"files of the same package in outer directories belong to it",
			source.Memory{{"cue.mod/module.cue": moduleA, "x.cue": "package x\na: 1", "x/y/x.cue": "package x\nb: 2", "x/z.cue": "package z\nc: 3"}},
			"a.example/m/x/y:x", "{ a: 1 b: 2 }",
		},
		{
			"hidden files, tests and tools do not",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\na: 1", "x/_b.cue": "package x\nb: 2", "x/.c.cue": "package x\nc: 2", "x/d_test.cue": "package x\nd: 2", "x/e_tool.cue": "package x\ne: 2"}},
			"a.example/m/x", "{ a: 1 }",
		},
		{
			"no tag is set",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\na: 1", "x/b.cue": "@if(prod)\npackage x\nb: 2", "x/c.cue": "@if(!prod && (dev || !test))\npackage x\nc: 2", "x/d.cue": "@ignore()\npackage x\nd: 2"}},
			"a.example/m/x", "{ a: 1 c: 2 }",
		},
		{
			"gen, pkg and usr are one package",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"k.io/v1\"\na: v1.a + v1.b + v1.c", "cue.mod/gen/k.io/v1/g.cue": "package v1\na: 1", "cue.mod/pkg/k.io/v1/p.cue": "package v1\nb: 2", "cue.mod/usr/k.io/v1/u.cue": "package v1\nc: 3"}},
			"a.example/m/x", "{ a: 6 }",
		},
		{
			"each module sees the copy that it vendors itself",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport (\n\"k.io/v1\"\n\"b.example/m/y\"\n)\na: v1.n\nb: y.b", "cue.mod/gen/k.io/v1/g.cue": "package v1\nn: 1"},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package y\nimport \"k.io/v1\"\nb: v1.n", "cue.mod/gen/k.io/v1/g.cue": "package v1\nn: 2"},
			},
			"a.example/m/x", "{ a: 1 b: 2 }",
		},
		{
			"packages that another module vendors",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"k.io/v1\"\na: v1.n"},
				{"cue.mod/module.cue": moduleB, "cue.mod/gen/k.io/v1/g.cue": "package v1\nn: 2"},
			},
			"a.example/m/x", "{ a: 2 }",
		},
		{
			"the module with the longest path wins",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/y/y.cue": "package y\na: 1"},
				{"cue.mod/module.cue": "module: \"a.example/m/x\"", "y/y.cue": "package y\na: 2"},
			},
			"a.example/m/x/y", "{ a: 2 }",
		},
		{
			"old syntax in a module that declares no version",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\na: [1] + [2]\nb: 1 + 2"}},
			"a.example/m/x", "{ a: [1, 2] b: 3 }",
		},
		{
			"a missing package names the modules",
			source.Memory{{"cue.mod/module.cue": moduleA}},
			"c.example/x", `cannot find package "c.example/x" in a.example/m, nor below cue.mod of one of them`,
		},
		{
			"a missing import has the position of its import",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"c.example/y\"\na: y.a"}},
			"a.example/m/x", `import failed: cannot find package "c.example/y" in a.example/m, nor below cue.mod of one of them: m0/x/x.cue:2:8`,
		},
		{
			"a forgotten package name",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package simple"}},
			"a.example/m/x", `cannot find package "x" in m0/x, which contains simple`,
		},
		{
			"packages that import each other",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"a.example/m/y\"\na: y.a", "y/y.cue": "package y\nimport \"a.example/m/x\"\na: x.a"}},
			"a.example/m/x", "import failed: import failed: packages import each other: a.example/m/x → a.example/m/y → a.example/m/x: m0/x/x.cue:2:8 m0/y/y.cue:2:8",
		},
		{
			"all missing imports are reported together, including imports of imports",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport (\n\"c.example/y\"\n\"a.example/m/z\"\n\"d.example/y:w\"\n)\na: y.a + z.a + w.a", "z/z.cue": "package z\nimport \"e.example/y\"\na: y.a"}},
			"a.example/m/x", `import failed: cannot find package "c.example/y" in a.example/m, nor below cue.mod of one of them: m0/x/x.cue:3:1 import failed: cannot find package "d.example/y:w" in a.example/m, nor below cue.mod of one of them: m0/x/x.cue:5:1 import failed: cannot find package "e.example/y" in a.example/m, nor below cue.mod of one of them: m0/z/z.cue:2:8`,
		},
		{
			"a missing import names the dependency that would contain it",
			source.Memory{{"cue.mod/module.cue": moduleA + "deps: \"c.example@v0\": v: \"v0.3.0\"", "x/x.cue": "package x\nimport \"c.example/y\"\na: y.a"}},
			"a.example/m/x", `import failed: cannot find package "c.example/y" in a.example/m, nor below cue.mod of one of them; a.example/m depends on c.example@v0 v0.3.0: m0/x/x.cue:2:8`,
		},
		{
			"a major version behind the import path",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"b.example/m/y@v1\"\na: y.a"},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package y\na: 1"},
			},
			"a.example/m/x", "{ a: 1 }",
		},
		{
			"a major version behind the module, with a package name, and the same text elsewhere",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"b.example/m@v1/y:z\"\na: z.a\nb: \"b.example/m@v1/y:z\""},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package z\na: 1"},
			},
			"a.example/m/x", `{ a: 1 b: "b.example/m@v1/y:z" }`,
		},
		{
			"another major version than the one at hand",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"b.example/m@v2/y\"\na: y.a"},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package y\na: 1"},
			},
			"a.example/m/x", `import failed: cannot find package "b.example/m/y@v2" in a.example/m, b.example/m@v1, nor below cue.mod of one of them: m0/x/x.cue:2:8`,
		},
		{
			"two major versions side by side, each where it is asked for",
			source.Memory{
				{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport (\n\"b.example/m/y@v0\"\nnew \"b.example/m/y@v1\"\n)\na: y.a\nb: new.a"},
				{"cue.mod/module.cue": "module: \"b.example/m\"", "y/y.cue": "package y\nimport \"b.example/m/z\"\na: z.a", "z/z.cue": "package z\na: 0"},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package y\nimport \"b.example/m/z\"\na: z.a", "z/z.cue": "package z\na: 1"},
			},
			"a.example/m/x", "{ a: 0 b: 1 }",
		},
		{
			"deps say which major version an import without one means",
			source.Memory{
				{"cue.mod/module.cue": moduleA + "deps: {\"b.example/m@v1\": {v: \"v1.2.0\"}}", "x/x.cue": "package x\nimport \"b.example/m/y\"\na: y.a"},
				{"cue.mod/module.cue": "module: \"b.example/m\"", "y/y.cue": "package y\na: 0"},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package y\na: 1"},
			},
			"a.example/m/x", "{ a: 1 }",
		},
		{
			"of two in deps the default",
			source.Memory{
				{"cue.mod/module.cue": moduleA + "deps: {\"b.example/m@v1\": {v: \"v1.2.0\", default: true}, \"b.example/m@v0\": v: \"v0.1.0\"}", "x/x.cue": "package x\nimport \"b.example/m/y\"\na: y.a"},
				{"cue.mod/module.cue": "module: \"b.example/m\"", "y/y.cue": "package y\na: 0"},
				{"cue.mod/module.cue": moduleB, "y/y.cue": "package y\na: 1"},
			},
			"a.example/m/x", "{ a: 1 }",
		},
		{
			"a syntax error",
			source.Memory{{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\na: {"}},
			"a.example/m/x", "expected '}', found 'EOF': m0/x/x.cue:2:5",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { check(t, test.tree, test.load, test.result) })
	}
}

func TestFilesContainsTheFilesOfThePackage(t *testing.T) {
	tree := source.Memory{{
		"cue.mod/module.cue":        moduleA,
		"x/x.cue":                   "package x\nimport \"k.io/v1\"\na: v1.n",
		"x/other.cue":               "package other",
		"cue.mod/gen/k.io/v1/g.cue": "package v1\nn: 1",
		"cue.mod/gen/k.io/v2/g.cue": "package v2\nn: 1",
	}}
	l := check(t, tree, "a.example/m/x", "{ a: 1 }")
	got := strings.Join(l.Files(l.Load("a.example/m/x")), " ")
	if want := "m0/cue.mod/gen/k.io/v1/g.cue m0/cue.mod/module.cue m0/x/x.cue"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
