package evaluator

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/provenance"
)

// Use is a parameter of an adapter and the place where the adapter reads it.
type Use struct {
	Name string    `json:"name"`
	At   *Position `json:"at,omitempty"`
}

// Leaf is a leaf of a value with its sources; see provenance.Leaf.
type Leaf struct {
	Path        []string   `json:"path"`
	At          []Position `json:"at"`
	Constrained bool       `json:"constrained"`
	Made        []Use      `json:"made"`
	Decided     []Use      `json:"decided"`
	Reads       [][]string `json:"reads"`
}

// Trace returns every leaf of a value within an adapter, with the place of its source and the
// parameters that it was made from. It contains names and places, no values. It returns nil if the
// trace takes too long.
func (e *Evaluator) Trace(of, adapter Handle) []Leaf {
	all, ok := e.tracer(adapter).Leaves(e.value(of))
	if !ok {
		return nil
	}
	leaves := []Leaf{}
	for _, found := range all {
		leaves = append(leaves, Leaf{
			Path:        append([]string{}, found.Path...),
			At:          positionsIn(found.At),
			Constrained: found.Constrained,
			Made:        usesIn(found.Made),
			Decided:     usesIn(found.Decided),
			Reads:       append([][]string{}, found.Reads...),
		})
	}
	return leaves
}

// tracersKept is the number of tracers for an adapter and its composites, which are used in turn.
const tracersKept = 8

// tracer returns the tracer of an adapter, or a new one.
func (e *Evaluator) tracer(handle Handle) *provenance.Tracer {
	adapter := e.value(handle)
	isSame := func(tracer *provenance.Tracer) bool { return tracer.IsOf(adapter) }
	var tracer *provenance.Tracer
	if place := slices.IndexFunc(e.tracers, isSame); place >= 0 {
		tracer = e.tracers[place]
		e.tracers = slices.Delete(e.tracers, place, place+1)
	} else {
		tracer = provenance.New(adapter, func(file string) bool { return e.sources[file] })
	}
	// The most recently used tracer is last.
	e.tracers = append(e.tracers, tracer)
	e.tracers = e.tracers[max(0, len(e.tracers)-tracersKept):]
	return tracer
}

// Definition is the package of a referenced value, and its place there.
type Definition struct {
	Package string    `json:"package"`
	At      *Position `json:"at,omitempty"`
	// Hidden are errors that can hide a part of the value outside of it, in its package.
	Hidden []Problem `json:"hidden,omitempty"`
}

// Definition returns nil if a value has no reference to a package.
func (e *Evaluator) Definition(of Handle) *Definition {
	found := provenance.DefinitionOf(e.value(of))
	if found.Package == "" {
		return nil
	}
	return &Definition{Package: found.Package, At: positionOf(found.At), Hidden: e.hiddenIn(found.Instance)}
}

// hiddenIn returns the errors of a package that has conditions or loops outside of its fields. The
// package of most adapters has none, and isn't evaluated as a whole.
func (e *Evaluator) hiddenIn(instance *build.Instance) []Problem {
	if instance == nil || instance.Err != nil || !slices.ContainsFunc(instance.Files, hasConditions) {
		return nil
	}
	fault := e.fault(e.context.BuildInstance(instance))
	return append(fault.Own, fault.Parts...)
}

func hasConditions(file *ast.File) bool {
	return slices.ContainsFunc(file.Decls, func(decl ast.Decl) bool {
		switch decl.(type) {
		case *ast.Comprehension, *ast.EmbedDecl:
			return true
		}
		return false
	})
}

func positionsIn(places []token.Pos) []Position {
	positions := []Position{}
	for _, place := range places {
		if position := positionOf(place); position != nil && !slices.Contains(positions, *position) {
			positions = append(positions, *position)
		}
	}
	return positions
}

func usesIn(found []provenance.Use) []Use {
	uses := []Use{}
	for _, use := range found {
		uses = append(uses, Use{Name: use.Name, At: positionOf(use.At)})
	}
	return uses
}
