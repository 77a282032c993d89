package oldlists_test

import (
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"qvs/engine/oldlists"
)

func TestModernize(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"two literals", `a: [1] + [2]`, `a: list.Concat([[1], [2]])`},
		{"a chain is one call", `a: [1] + [2] + [3]`, `a: list.Concat([[1], [2], [3]])`},
		{"one literal is enough for the chain", `a: x + y + [3]`, `a: list.Concat([x, y, [3]])`},
		{"parentheses", `a: ([1] + b) + c`, `a: list.Concat([[1], b, c])`},
		{"fields that are lists", "b: [...]\nc: [...int] & [1]\na: b + c", "b: [...]\nc: [...int] & [1]\na: list.Concat([b, c])"},
		{"selectors", "p: hosts: [...string]\na: p.hosts + q", "p: hosts: [...string]\na: list.Concat([p.hosts, q])"},
		{"let clauses", "let b = [1]\na: b + c", "let b = [1]\na: list.Concat([b, c])"},
		{"list functions", `a: list.Sort(b, less) + c`, `a: list.Concat([list.Sort(b, less), c])`},
		{"comprehensions", `a: b + [for x in c {x}]`, `a: list.Concat([b, [for x in c {x}]])`},
		{"a list inside of a list", `a: [[1] + [2]]`, `a: [list.Concat([[1], [2]])]`},
		{"repetition", `a: 3 * [1]`, `a: list.Repeat([1], 3)`},
		{"repetition with the list first", `a: [1] * n`, `a: list.Repeat([1], n)`},
		{"a shadowed package", "list: [1]\na: list + [2]", "list: [1]\na: LIST.Concat([list, [2]])"},
		{"numbers stay", "a: 1 + 2\nb: 2 * c", "a: 1 + 2\nb: 2 * c"},
		{"strings stay", `a: "x" + b`, `a: "x" + b`},
		{"a name that is a list here and a string there stays", "b: [1]\nc: b: \"x\"\na: b + d", "b: [1]\nc: b: \"x\"\na: b + d"},
		{"unknown names stay", `a: b + c`, `a: b + c`},
		{"references in a circle stay", "b: c\nc: b\na: b + c", "b: c\nc: b\na: b + c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := parse(t, test.before)
			oldlists.Modernize(file, nil)
			want, got := strip(test.after), strip(text(t, file))
			// Sanitize chooses the name of an import whose name is used.
			if name := importName(file); name != "" {
				want = strings.ReplaceAll(want, "LIST", name)
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestModernizeRewritesTheSitesOfTheEvaluator(t *testing.T) {
	file := parse(t, `a: b + c + d`)
	site := oldlists.Site{File: "x.cue", Offset: strings.Index("a: b + c + d", "b"), Op: token.ADD}
	rewrites := oldlists.Modernize(file, map[oldlists.Site]bool{site: true})
	if got, want := strip(text(t, file)), `a: list.Concat([b, c, d])`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(rewrites) != 1 || rewrites[0].Pos.Line() != 1 || rewrites[0].Pos.Column() != 4 {
		t.Errorf("want one notice at 1:4, got %v", rewrites)
	}
}

func parse(t *testing.T, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile("x.cue", text)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func text(t *testing.T, file *ast.File) string {
	t.Helper()
	text, err := format.Node(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// strip removes the import and the white space of the formatter.
func strip(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !strings.HasPrefix(line, "import") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func importName(file *ast.File) string {
	for spec := range file.ImportSpecs() {
		if spec.Name != nil {
			return spec.Name.Name
		}
	}
	return ""
}
