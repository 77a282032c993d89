package provenance

import "cuelang.org/go/internal/core/adt"

// possible is an expression that a comprehension gives to a field if its conditions are true. If
// they are false, the field's value still depends on them: `replicas: *1 | int` and `if
// parameters.big {replicas: 3}`.
type possible struct {
	expr       adt.Expr
	conditions uses
}

// possibly returns the parameters that decide whether the field has another value.
func (f *facts) possibly() uses {
	var all uses
	for _, each := range f.possible {
		all = all.and(each.conditions)
	}
	return all
}

// addPossible adds the expressions that comprehensions of the enclosing fields can give to a field.
func (t *tracer) addPossible(above *facts, label adt.Feature, to *facts) {
	for _, each := range above.literals {
		if body, ok := each.expr.(*adt.StructLit); ok {
			t.possibleIn(body, each.scope, nil, label, to)
		}
	}
	for _, each := range above.possible {
		body, ok := each.expr.(*adt.StructLit)
		if !ok {
			// A reference to another value can set any field.
			to.possible = append(to.possible, each)
			continue
		}
		for _, decl := range t.giving(body, label) {
			if field, ok := decl.(*adt.Field); ok {
				to.possible = append(to.possible, possible{field.Value, each.conditions})
			}
		}
	}
}

// lacking adds the conditions of the expressions that could give a value to an absent field.
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
	for _, decl := range t.giving(body, label) {
		switch x := decl.(type) {
		case *adt.Field:
			if len(conditions) > 0 {
				to.possible = append(to.possible, possible{x.Value, conditions})
			}
		case *adt.DynamicField:
			if len(conditions) > 0 && t.labelOf(scope, x.Key) == label {
				to.possible = append(to.possible, possible{x.Value, conditions})
			}
		case *adt.Comprehension:
			inner := t.scopeWithin(scope, x)
			t.possibleIn(x.Value, inner, conditions.and(t.conditionsOf(scope, x)), label, to)
		}
	}
}

// conditionsOf returns the parameters on which the fields of a comprehension depend.
func (t *tracer) conditionsOf(scope *adt.Environment, c *adt.Comprehension) uses {
	asked := t.search()
	asked.ask(question{node: c, env: scope}, func(s *search) { s.comprehension(scope, c) })
	return asked.all()
}

// scopeWithin returns the scope of the fields of a comprehension, for any values of its variables.
func (t *tracer) scopeWithin(scope *adt.Environment, c *adt.Comprehension) *adt.Environment {
	key := question{node: c, env: scope}
	if t.scopes[key] == nil {
		t.scopes[key] = &adt.Environment{Up: t.scopeOf(scope, c.Clauses), Vertex: scope.Vertex}
	}
	return t.scopes[key]
}

// labelOf returns 0 for a name that depends on the variables of a loop.
func (t *tracer) labelOf(scope *adt.Environment, key adt.Expr) adt.Feature {
	place := question{node: key, env: scope}
	label, known := t.labels[place]
	if !known {
		if name, ok := t.evaluate(scope, key).(*adt.String); ok {
			label = t.ctx.StringLabel(name.Str)
		}
		t.labels[place] = label
	}
	return label
}
