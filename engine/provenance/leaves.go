// Package provenance finds the sources of the fields of an evaluated CUE value.
//
// The public API hides conditions and loops around a field, and evaluates everything again for each
// question. For every field, the evaluator itself keeps the unified expressions with the scopes in
// which their references resolve. This package reads those. Its module path is below cuelang.org/go
// because Go allows no other module to import internal packages.
//
// If the exact answer isn't known, the result contains too much rather than too little: all
// branches of a disjunction, and everything within a struct or list that is an argument of a
// function.
package provenance

import (
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/internal/core/adt"
	"cuelang.org/go/internal/core/eval"
)

// Use is a parameter and a place in CUE that reads it.
type Use struct {
	Name string
	At   token.Pos
}

// Leaf is a scalar, or an empty struct or list, below the given value.
type Leaf struct {
	Path []string
	// At are the places that set its value or, if it is only Constrained, that constrain it.
	At          []token.Pos
	Constrained bool
	// Made are the parameters in its value.
	Made []Use
	// Decided are the parameters of the conditions and loops around it, and of the names of the
	// fields on its path.
	Decided []Use
	// Reads are the fields below `resources` of the adapter in its value.
	Reads [][]string
}

// Tracer traces the values of an adapter. It keeps its answers, because most questions repeat
// earlier ones.
type Tracer struct{ *tracer }

// New creates a tracer for an adapter. `isSource` reports whether a file contains arguments instead
// of CUE.
func New(adapter cue.Value, isSource func(file string) bool) *Tracer {
	core := adapter.Core()
	t := &tracer{names: core.R, root: core.V, isSource: isSource, memory: newMemory()}
	t.fields = newPending[*adt.Vertex](&t.depths)
	if core.V != nil {
		core.V.Finalize(eval.NewContext(core.R, core.V))
		t.limit = maxSteps(core.V)
	}
	return &Tracer{t}
}

// IsOf reports whether the tracer belongs to an adapter.
func (t *Tracer) IsOf(adapter cue.Value) bool { return t.root != nil && t.root == adapter.Core().V }

// Leaves lists the leaves of `resources.STAGE`, `defer.STAGE` or `composites[i].params` of the
// adapter. If that exceeds the limit of steps, it returns false, also for all later calls.
func (t *Tracer) Leaves(value cue.Value) (leaves []Leaf, ok bool) {
	core := value.Core()
	if core.V == nil || t.root == nil {
		return nil, true
	}
	defer func() {
		if reason := recover(); reason == (limitExceeded{}) {
			leaves, ok = nil, false
		} else if reason != nil {
			panic(reason)
		}
	}()
	t.step(0)
	t.leaves = nil
	t.begin(eval.NewContext(core.R, t.root))
	t.walk(core.V, nil, t.facts(core.V))
	return t.leaves, true
}

type tracer struct {
	ctx      *adt.OpContext
	names    adt.Runtime
	root     *adt.Vertex
	own      *adt.Vertex
	isSource func(file string) bool
	leaves   []Leaf
	fields   *pending[*adt.Vertex]
	depths   depths
	budget
	memory
}

func (t *tracer) walk(v *adt.Vertex, path []string, of *facts) {
	fields := members(v)
	if len(fields) == 0 {
		t.leaves = append(t.leaves, t.leaf(v, path, of))
		return
	}
	if places := t.places(v, of); len(places.at) > 0 {
		of.near = places.at
	}
	for _, field := range fields {
		t.walk(field, append(path[:len(path):len(path)], t.name(field.Label)), t.factsBelow(of, field))
	}
}

func (t *tracer) leaf(v *adt.Vertex, path []string, of *facts) Leaf {
	found := t.search()
	found.seen[v] = true
	for c := range v.LeafConjuncts() {
		env, expr := c.EnvExpr()
		found.whole(env, expr, v)
	}
	found.parts(of.origins)
	written := t.places(v, of)
	if len(of.origins) > 0 && (len(written.at) == 0 || written.constrained) {
		written = places{}
		for _, o := range of.origins {
			written.at = append(written.at, o.At)
			written.decided = written.decided.and(o.decided)
		}
	}
	if len(written.at) == 0 {
		written.at, written.decided = of.near, of.all()
	}
	written.decided = written.decided.and(of.possibly())
	return Leaf{
		Path:        path,
		At:          written.at,
		Constrained: written.constrained,
		Made:        found.allBut(written.decided),
		Decided:     written.decided,
		Reads:       found.reads.paths,
	}
}

// places are the positions in CUE files that set a field's value or, if there are none, that
// constrain it.
type places struct {
	at          []token.Pos
	constrained bool
	decided     uses
}

func (t *tracer) places(v *adt.Vertex, of *facts) places {
	var given, constraints places
	constraints.constrained = true
	i := 0
	for c := range v.LeafConjuncts() {
		decided := of.decided[i]
		i++
		pos := positionOf(c.Elem())
		if !pos.IsValid() || pos.Filename() == "" || t.isSource(pos.Filename()) {
			continue
		}
		if t.gives(c) {
			given.at, given.decided = append(given.at, pos), given.decided.and(decided)
		} else {
			constraints.at, constraints.decided = append(constraints.at, pos), constraints.decided.and(decided)
		}
	}
	if len(given.at) > 0 {
		return given
	}
	return constraints
}

// gives returns false for a type or another constraint, which isn't the source of a value.
func (t *tracer) gives(c adt.Conjunct) (concrete bool) {
	defer func() {
		if recover() != nil {
			concrete = true
		}
	}()
	env, expr := c.EnvExpr()
	switch x := expr.(type) {
	case nil, *adt.BasicType, *adt.Top, *adt.BoundExpr:
		return false
	case *adt.StructLit, *adt.ListLit, *adt.Interpolation:
		return true
	case adt.Value:
		return adt.IsConcrete(adt.Default(x))
	}
	value, _ := t.ctx.Evaluate(env, expr)
	return adt.IsConcrete(adt.Default(adt.Unwrap(value)))
}

func members(v *adt.Vertex) []*adt.Vertex {
	var fields []*adt.Vertex
	for _, arc := range v.Default().Arcs {
		if arc.ArcType == adt.ArcMember && arc.Label.IsRegular() {
			fields = append(fields, arc)
		}
	}
	return fields
}

func (t *tracer) name(label adt.Feature) string {
	if label.IsInt() {
		return strconv.Itoa(label.Index())
	}
	return label.StringValue(t.names)
}

func positionOf(node adt.Node) token.Pos {
	if node == nil || node.Source() == nil {
		return token.NoPos
	}
	return node.Source().Pos()
}
