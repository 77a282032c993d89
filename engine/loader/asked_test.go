package loader_test

import (
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/build"

	"qvs/engine/loader"
	"qvs/host/source"
)

var askedTree = source.Memory{{
	"cue.mod/module.cue":             moduleA,
	"x/x.cue":                        "package x\nimport (\n\"v.example/v\"\n\"a.example/m/shared\"\n)\na: v.b & shared.c",
	"x/other.cue":                    "package other\na: 1",
	"y/y.cue":                        "package y\nimport \"a.example/m/shared\"\na: shared.c",
	"shared/shared.cue":              "package shared\nc: 1",
	"cue.mod/pkg/v.example/v/v.cue":  "package v\nb: 1",
	"cue.mod/pkg/w.example/w/w.cue":  "package w\nb: 1",
	"cue.mod/usr/v.example/v/no.cue": "package elsewhere\nb: 2",
}}

const askedOfX = `? .
? cue.mod/gen/v.example/v
? cue.mod/pkg
? cue.mod/pkg/v.example
? cue.mod/pkg/v.example/v
? cue.mod/usr/v.example/v
? shared
? x
cue.mod/module.cue
cue.mod/pkg/v.example/v/v.cue
cue.mod/usr/v.example/v/no.cue
shared/shared.cue
x/other.cue
x/x.cue`

const askedOfY = `? .
? shared
? y
cue.mod/module.cue
shared/shared.cue
y/y.cue`

// Its neighbor's package clause was read for the neighbor, but decides here as well.
const askedOfOther = `? .
? x
cue.mod/module.cue
x/other.cue
x/x.cue`

func TestAskedContainsAllDecidingQuestions(t *testing.T) {
	for _, order := range [][]string{{"x", "y"}, {"y", "x"}, {"x", "y", "x"}, {"x", "x:other"}} {
		l := loader.New(askedTree, modulesOf(t, askedTree))
		for _, name := range order {
			want := map[string]string{"x": askedOfX, "y": askedOfY, "x:other": askedOfOther}[name]
			if got := asked(l, "a.example/m/"+name); got != want {
				t.Errorf("%s, loaded as one of %v, asked for:\n%s\nwant:\n%s", name, order, got, want)
			}
		}
	}
}

func asked(l *loader.Loader, importPath string) string {
	instance := l.Load(importPath)
	var lists, entries, reads []string
	for _, question := range l.Asked([]string{importPath}, []*build.Instance{instance}) {
		switch question.Ask {
		case loader.AskFiles:
			lists = append(lists, "? "+question.Path)
		case loader.AskEntries:
			entries = append(entries, "?/ "+question.Path)
		case loader.AskText:
			reads = append(reads, question.Path)
		}
	}
	return strings.Join(slices.Concat(lists, entries, reads), "\n")
}
