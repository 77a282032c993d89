package loader_test

import (
	"strings"
	"testing"

	"qvs/host/source"
)

const embedding = "@extern(embed)\npackage x\n"

func TestEmbedded(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		result string
	}{
		{
			"a file as text, and one by its extension",
			map[string]string{"x/x.cue": embedding + "a: string @embed(file=a.txt)\nb: _ @embed(file=\"d/b.yaml\")", "x/a.txt": "hello", "x/d/b.yaml": "c: 1\n"},
			`{ a: "hello" b: { c: 1 } }`,
		},
		{
			"files below the directory of the CUE file, in JSON, TOML and bytes",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=a.json)\nb: _ @embed(file=b.toml)\nc: _ @embed(file=c.dat, type=binary)", "x/a.json": `{"n": 1}`, "x/b.toml": "n = 2", "x/c.dat": "\xff"},
			`{ a: { n: 1 } b: { n: 2 } c: '\xff' }`,
		},
		{
			"a glob, by path and without hidden files and directories",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(glob=d/*.yaml)\nb: _ @embed(glob=*/c.yaml)", "x/d/a.yaml": "n: 1", "x/d/b.yaml": "n: 2", "x/d/.c.yaml": "n: 3", "x/d/sub/d.yaml": "n: 4", "x/d/b.json": "{}", "x/.e/c.yaml": "n: 5", "x/f/c.yaml": "n: 6"},
			`{ a: { "d/a.yaml": { n: 1 } "d/b.yaml": { n: 2 } } b: { "f/c.yaml": { n: 6 } } }`,
		},
		{
			"a glob that also matches a directory",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(glob=d/*, type=text)", "x/d/a": "1", "x/d/sub/b": "2"},
			`{ a: { "d/a": "1" } }`,
		},
		{
			"a glob that may fit nothing",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(glob=*.yaml, allowEmptyGlob)"},
			`{ a: {} }`,
		},
		{
			"a package that the module vendors, relative to its own directory",
			map[string]string{"x/x.cue": "package x\nimport \"k.io/v1\"\na: v1.n", "cue.mod/pkg/k.io/v1/v1.cue": "@extern(embed)\npackage v1\nn: _ @embed(file=n.json)", "cue.mod/pkg/k.io/v1/n.json": "7"},
			`{ a: 7 }`,
		},
		{
			"a missing file",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=d/a.yaml)"},
			"cannot embed \"d/a.yaml\": m0/x/d/a.yaml does not exist: m0/x/x.cue:3:6",
		},
		{
			"all missing files at once",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=a.txt)\nb: _ @embed(file=b.txt)"},
			"cannot embed \"a.txt\": m0/x/a.txt does not exist: m0/x/x.cue:3:6 cannot embed \"b.txt\": m0/x/b.txt does not exist: m0/x/x.cue:4:6",
		},
		{
			"a directory",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=d, type=text)", "x/d/a": ""},
			"cannot embed \"d\": m0/x/d is a directory: m0/x/x.cue:3:6",
		},
		{
			"a file of another module within this one",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=d/a.txt)", "x/d/a.txt": "", "x/d/cue.mod/module.cue": moduleB},
			"@embed: cannot embed file \"d/a.txt\": in different module: m0/x/x.cue:3:6",
		},
		{
			"a parent directory",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=\"../a.txt\")", "a.txt": ""},
			"@embed: cannot refer to parent directory: m0/x/x.cue:3:6",
		},
		{
			"a path from the root of the file system",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=/etc/passwd, type=text)"},
			"@embed: only relative files are allowed: m0/x/x.cue:3:6",
		},
		{
			"a glob that fits nothing",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(glob=*.yaml)"},
			"@embed: no matches for glob pattern \"*.yaml\": m0/x/x.cue:3:6",
		},
		{
			"several documents",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=a.yaml)", "x/a.yaml": "a: 1\n---\nb: 1\n"},
			"@embed: streaming not implemented: found more than one value in file: m0/x/x.cue:3:6",
		},
		{
			"broken JSON, at its place",
			map[string]string{"x/x.cue": embedding + "a: _ @embed(file=a.json)", "x/a.json": "{\n  \"a\": ]\n}"},
			"@embed: invalid JSON for file \"a.json\": invalid character ']' looking for beginning of value: m0/x/x.cue:3:6 m0/x/a.json:2:8",
		},
		{
			"a value that conflicts, at its place",
			map[string]string{"x/x.cue": embedding + "a: n: string\na: _ @embed(file=d/a.yaml)", "x/d/a.yaml": "m: 1\nn: 2\n"},
			"a.n: conflicting values string and 2 (mismatched types string and int): m0/x/d/a.yaml:2:4 m0/x/x.cue:3:7",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.files["cue.mod/module.cue"] = "module: \"a.example/m\"\nlanguage: version: \"v0.12.0\"\n"
			check(t, source.Memory{test.files}, "a.example/m/x", test.result)
		})
	}
}

func TestEmbedsReadOnlyTheirOwnModule(t *testing.T) {
	tree := source.Memory{
		{"cue.mod/module.cue": moduleA, "x/x.cue": "package x\nimport \"b.example/m/y\"\na: y.a", "y/a.txt": "wrong"},
		{"cue.mod/module.cue": moduleB, "y/y.cue": "@extern(embed)\npackage y\na: _ @embed(file=a.txt)", "y/a.txt": "right"},
	}
	l := check(t, tree, "a.example/m/x", `{ a: "right" }`)
	got := strings.Join(l.Files(l.Load("a.example/m/x")), " ")
	if want := "m0/cue.mod/module.cue m0/x/x.cue m1/cue.mod/module.cue m1/y/a.txt m1/y/y.cue"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAskedContainsTheQuestionsOfEmbeds(t *testing.T) {
	tree := source.Memory{{
		"cue.mod/module.cue": moduleA,
		"x/x.cue":            embedding + "a: _ @embed(file=a.txt)\nb: _ @embed(glob=d/*.txt)",
		"x/a.txt":            "",
		"x/d/b.txt":          "",
		"x/other.txt":        "",
	}}
	l := check(t, tree, "a.example/m/x", `{ a: "" b: { "d/b.txt": "" } }`)
	want := "? .\n? x\n?/ x\n?/ x/d\ncue.mod/module.cue\nx/a.txt\nx/d/b.txt\nx/x.cue"
	if got := asked(l, "a.example/m/x"); got != want {
		t.Errorf("asked for:\n%s\nwant:\n%s", got, want)
	}
}
