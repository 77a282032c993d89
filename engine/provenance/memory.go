package provenance

import (
	"slices"

	"cuelang.org/go/internal/core/adt"
)

// memory keeps answers that thousands of fields ask for.
type memory struct {
	known   map[*adt.Vertex]*facts
	answers map[question]found
	scopes  map[question]*adt.Environment
	labels  map[question]adt.Feature
	// These describe literals and the fields of large structs.
	decisive map[*adt.StructLit][]adt.Decl
	yielding map[*adt.ListLit]bool
	givers   map[*adt.StructLit]*givers
	arcs     map[*adt.Vertex]map[adt.Feature]*adt.Vertex
}

func newMemory() memory {
	return memory{
		known:    map[*adt.Vertex]*facts{},
		answers:  map[question]found{},
		scopes:   map[question]*adt.Environment{},
		labels:   map[question]adt.Feature{},
		decisive: map[*adt.StructLit][]adt.Decl{},
		yielding: map[*adt.ListLit]bool{},
		givers:   map[*adt.StructLit]*givers{},
		arcs:     map[*adt.Vertex]map[adt.Feature]*adt.Vertex{},
	}
}

// deciding returns the parts of a struct that decide about its fields.
func (t *tracer) deciding(literal *adt.StructLit) []adt.Decl {
	known, ok := t.decisive[literal]
	if !ok {
		for _, decl := range literal.Decls {
			switch decl.(type) {
			case *adt.DynamicField, *adt.Comprehension, *adt.StructLit:
				known = append(known, decl)
			}
		}
		t.decisive[literal] = known
	}
	return known
}

// yields reports whether a list contains comprehensions.
func (t *tracer) yields(list *adt.ListLit) bool {
	known, ok := t.yielding[list]
	if !ok {
		known = slices.ContainsFunc(list.Elems, func(elem adt.Elem) bool {
			_, isComprehension := elem.(*adt.Comprehension)
			return isComprehension
		})
		t.yielding[list] = known
	}
	return known
}

// givers are the indexes of the parts of a struct, by the field to which they can give a value.
type givers struct {
	byLabel map[adt.Feature][]int
	any     []int
}

// giving returns the parts of a struct that can give a value to a field, in their order, so that
// the conditions of unrelated comprehensions aren't evaluated.
func (t *tracer) giving(body *adt.StructLit, label adt.Feature) []adt.Decl {
	known := t.givers[body]
	if known == nil {
		known = findGivers(body)
		t.givers[body] = known
	}
	places := slices.Concat(known.byLabel[label], known.any)
	slices.Sort(places)
	decls := make([]adt.Decl, len(places))
	for i, place := range places {
		decls[i] = body.Decls[place]
	}
	t.step(len(decls))
	return decls
}

func findGivers(body *adt.StructLit) *givers {
	found := &givers{byLabel: map[adt.Feature][]int{}}
	for place, decl := range body.Decls {
		labels, isAny := labelsIn(decl)
		if isAny {
			found.any = append(found.any, place)
			continue
		}
		for label := range labels {
			found.byLabel[label] = append(found.byLabel[label], place)
		}
	}
	return found
}

// labelsIn returns the fields to which a part of a struct can give a value, or that it can be any
// field.
func labelsIn(decl adt.Decl) (labels map[adt.Feature]bool, isAny bool) {
	labels = map[adt.Feature]bool{}
	switch x := decl.(type) {
	case *adt.Field:
		labels[x.Label] = true
	case *adt.DynamicField:
		return nil, true
	case *adt.Comprehension:
		for _, inner := range x.Value.Decls {
			more, isAny := labelsIn(inner)
			if isAny {
				return nil, true
			}
			for label := range more {
				labels[label] = true
			}
		}
	}
	return labels, false
}

// manyFields is the number of fields from which a map is faster than a linear search.
const manyFields = 32

// lookup returns the field with a label.
func (t *tracer) lookup(v *adt.Vertex, label adt.Feature) *adt.Vertex {
	if len(v.Arcs) < manyFields {
		return v.Lookup(label)
	}
	known := t.arcs[v]
	if known == nil {
		known = make(map[adt.Feature]*adt.Vertex, len(v.Arcs))
		for _, arc := range v.Arcs {
			known[arc.Label] = arc
		}
		t.arcs[v] = known
	}
	if arc := known[label]; arc != nil {
		return arc.DerefValue()
	}
	return nil
}
