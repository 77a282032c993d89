package evaluator

import (
	"slices"

	"cuelang.org/go/cue/token"
	"cuelang.org/go/provenance"
)

// Use is a parameter of an adapter and where the adapter reads it.
type Use struct {
	Name string    `json:"name"`
	At   *Position `json:"at,omitempty"`
}

// Leaf is a leaf of a value and what it was made from; see provenance.Leaf.
type Leaf struct {
	Path        []string   `json:"path"`
	At          []Position `json:"at"`
	Constrained bool       `json:"constrained"`
	Made        []Use      `json:"made"`
	Decided     []Use      `json:"decided"`
	Reads       [][]string `json:"reads"`
}

// Trace tells for every leaf of a value within an adapter where it is written and which of its parameters it was made
// from. It holds names and places, no values. It answers with nil when that takes too long.
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

// tracersKept are those of an adapter and of what it is composed of, which are asked in turn.
const tracersKept = 8

// tracer is the one that was asked about the same adapter before, or a new one.
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
	// The one used last comes last.
	e.tracers = append(e.tracers, tracer)
	e.tracers = e.tracers[max(0, len(e.tracers)-tracersKept):]
	return tracer
}

// Definition is the package that a value was taken from, and where it is written there.
type Definition struct {
	Package string    `json:"package"`
	At      *Position `json:"at,omitempty"`
}

// Definition answers with nil when a value is written where it stands.
func (e *Evaluator) Definition(of Handle) *Definition {
	found := provenance.DefinitionOf(e.value(of))
	if found.Package == "" {
		return nil
	}
	return &Definition{Package: found.Package, At: positionOf(found.At)}
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
