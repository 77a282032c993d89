package provenance

import "cuelang.org/go/internal/core/adt"

// possible is an expression that a comprehension gives to a field, if its conditions hold. Where they don't, the field
// has the value that it has because of that: `replicas: *1 | int` and `if parameters.big {replicas: 3}`.
type possible struct {
	expr       adt.Expr
	conditions uses
}

// possibly are the parameters on which it depends whether there is something else in the field.
func (f *facts) possibly() uses {
	var all uses
	for _, each := range f.possible {
		all = all.and(each.conditions)
	}
	return all
}

// addPossible finds what may be given to a field by the comprehensions of the fields around it.
func (t *tracer) addPossible(above *facts, label adt.Feature, to *facts) {
	for _, each := range above.literals {
		if body, ok := each.expr.(*adt.StructLit); ok {
			t.possibleIn(body, each.scope, nil, label, to)
		}
	}
	for _, each := range above.possible {
		body, ok := each.expr.(*adt.StructLit)
		if !ok {
			// Where it refers to something else, any field may come from that.
			to.possible = append(to.possible, each)
			continue
		}
		for _, decl := range body.Decls {
			if field, ok := decl.(*adt.Field); ok && field.Label == label {
				to.possible = append(to.possible, possible{field.Value, each.conditions})
			}
		}
	}
}

// lacking counts what might give a value to a field that is not there.
func (s *search) lacking(in *adt.Vertex, labels []adt.Feature) {
	known := s.facts(in)
	for _, label := range labels {
		below := &facts{}
		s.addPossible(known, label, below)
		s.conditions = s.conditions.and(below.possibly())
		known = below
	}
}

func (t *tracer) possibleIn(body *adt.StructLit, scope *adt.Environment, conditions uses, label adt.Feature, to *facts) {
	for _, decl := range body.Decls {
		switch x := decl.(type) {
		case *adt.Field:
			if x.Label == label && len(conditions) > 0 {
				to.possible = append(to.possible, possible{x.Value, conditions})
			}
		case *adt.DynamicField:
			if len(conditions) > 0 && t.labelOf(scope, x.Key) == label {
				to.possible = append(to.possible, possible{x.Value, conditions})
			}
		case *adt.Comprehension:
			if !defines(x.Value, label) {
				continue
			}
			found := t.search()
			found.comprehension(scope, x)
			inner := &adt.Environment{Up: t.scopeOf(scope, x.Clauses), Vertex: scope.Vertex}
			t.possibleIn(x.Value, inner, conditions.and(found.all()), label, to)
		}
	}
}

// defines saves looking at the conditions of comprehensions that have nothing to do with a field.
func defines(body *adt.StructLit, label adt.Feature) bool {
	for _, decl := range body.Decls {
		switch x := decl.(type) {
		case *adt.Field:
			if x.Label == label {
				return true
			}
		case *adt.DynamicField:
			return true
		case *adt.Comprehension:
			if defines(x.Value, label) {
				return true
			}
		}
	}
	return false
}

// labelOf is 0 for a name that is made from the variables of a loop.
func (t *tracer) labelOf(scope *adt.Environment, key adt.Expr) adt.Feature {
	name, ok := t.evaluate(scope, key).(*adt.String)
	if !ok {
		return 0
	}
	return t.ctx.StringLabel(name.Str)
}
