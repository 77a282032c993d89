package helm

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"qvs/render/problem"
)

func sortedKeys(table map[string]any) []string { return slices.Sorted(maps.Keys(table)) }

var templatePlace = regexp.MustCompile(`([^\s()":]+/templates/[^\s():]+):(\d+)`)

// placeIn returns the first place of a template in a message of Helm.
func placeIn(message string) *problem.Place {
	found := templatePlace.FindStringSubmatch(message)
	if found == nil {
		return nil
	}
	line, _ := strconv.Atoi(found[2])
	return &problem.Place{File: found[1], Line: line}
}

const lookup = "lookup"

// markLookups gives each call of `lookup` in a template its place as an additional first argument,
// because only a parsed template contains the place.
func markLookups(loaded *chart.Chart) {
	for _, each := range loaded.Templates {
		if each != nil && strings.Contains(string(each.Data), lookup) {
			name := path.Join(loaded.ChartFullPath(), each.Name)
			each.Data = []byte(marked(name, string(each.Data)))
		}
	}
	for _, child := range loaded.Dependencies() {
		markLookups(child)
	}
}

func marked(name, text string) string {
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		return text
	}
	var positions []int
	for _, each := range trees {
		if each.Root != nil {
			positions = append(positions, callsOf(each.Root)...)
		}
	}
	slices.Sort(positions)
	for _, at := range slices.Backward(slices.Compact(positions)) {
		end := at + len(lookup)
		if end > len(text) || text[at:end] != lookup {
			continue
		}
		line := 1 + strings.Count(text[:at], "\n")
		text = text[:end] + " " + strconv.Quote(fmt.Sprintf("%s:%d", placePrefix+name, line)) + text[end:]
	}
	return text
}

// placePrefix distinguishes the place of a call from its other arguments.
const placePrefix = "place of the call: "

// callsOf returns the offsets of the identifier `lookup`.
func callsOf(node parse.Node) []int {
	var found []int
	visit := func(nodes ...parse.Node) {
		for _, each := range nodes {
			found = append(found, callsOf(each)...)
		}
	}
	branch := func(b *parse.BranchNode) {
		visit(b.Pipe, b.List)
		if b.ElseList != nil {
			visit(b.ElseList)
		}
	}
	switch n := node.(type) {
	case *parse.IdentifierNode:
		if n.Ident == lookup {
			found = append(found, int(n.Pos))
		}
	case *parse.ListNode:
		visit(n.Nodes...)
	case *parse.ActionNode:
		visit(n.Pipe)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		for _, each := range n.Cmds {
			visit(each)
		}
	case *parse.CommandNode:
		visit(n.Args...)
	case *parse.ChainNode:
		visit(n.Node)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.TemplateNode:
		visit(n.Pipe)
	}
	return found
}
