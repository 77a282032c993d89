package provenance

import (
	"slices"

	"cuelang.org/go/cue/token"
	"cuelang.org/go/internal/core/adt"
)

// facts are what has to be known of a field to tell where the fields below it come from.
type facts struct {
	// decided holds, for each of the field's conjuncts, the parameters that decided that it is there.
	decided []uses
	// literals were unified into the field, also by way of references.
	literals []literal
	// origins are what the field was set to as a whole.
	origins []origin
	// possible is what comprehensions would unify into the field, whether they do or not.
	possible []possible
	// places are those of origins, by what makes each another one.
	places map[originKey]int
	// near are the places of the closest field above that is written somewhere.
	near []token.Pos
}

// literal is a struct or list as it is written.
type literal struct {
	expr    adt.Expr
	scope   *adt.Environment
	decided uses
}

// origin is a parameter or a field of a resource, with the value that the field got from it: nil for the result of a
// function, any part of which can come from any operand.
type origin struct {
	Use
	reads   []string
	value   *adt.Vertex
	decided uses
}

// originKey is the same for what comes from the same place twice, by way of several references.
type originKey struct {
	Use
	reads string
	value *adt.Vertex
}

func (f *facts) add(o origin) {
	key := originKey{o.Use, keyOf(o.reads), o.value}
	if place, known := f.places[key]; known {
		f.origins[place].decided = f.origins[place].decided.and(o.decided)
		return
	}
	if f.places == nil {
		f.places = map[originKey]int{}
	}
	f.places[key] = len(f.origins)
	f.origins = append(f.origins, o)
}

// facts are those of a field where it is, found out once.
func (t *tracer) facts(v *adt.Vertex) *facts {
	t.fields.leadsBack(v)
	if known := t.known[v]; known != nil {
		return known
	}
	// What decides about a field can refer to that field; then it is asked for while it is being found out.
	t.known[v] = &facts{decided: make([]uses, count(v))}
	_, outdated := t.fields.answer(v, func() {
		above := &facts{}
		if v.Parent != nil {
			above = t.facts(v.Parent)
		}
		t.known[v] = t.factsBelow(above, v)
	})
	for _, each := range outdated {
		delete(t.known, each)
	}
	return t.known[v]
}

// factsBelow is for a field that may be shared: what it is a part of is told by `above`, not by its own parent.
func (t *tracer) factsBelow(above *facts, field *adt.Vertex) *facts {
	below := &facts{near: above.near}
	for _, o := range above.origins {
		if o.value == nil {
			below.add(o)
		} else if value := t.lookup(o.value.Default(), field.Label); value != nil {
			o.value = value
			below.add(o)
		}
	}
	t.addPossible(above, field.Label, below)
	for c := range field.LeafConjuncts() {
		decided := t.decidedBy(above, c, !t.isResource(field))
		below.decided = append(below.decided, decided)
		collect := &collector{tracer: t, facts: below, field: field, seen: map[*adt.Vertex]bool{field: true}}
		env, expr := c.EnvExpr()
		collect.expr(env, expr, decided)
	}
	if shared := field.DerefValue(); shared != field {
		collect := &collector{tracer: t, facts: below, field: field, seen: map[*adt.Vertex]bool{}}
		collect.vertex(shared, below.all())
	}
	return below
}

// all is what decided about any part of a field.
func (f *facts) all() uses {
	var all uses
	for _, decided := range f.decided {
		all = all.and(decided)
	}
	for _, each := range f.literals {
		all = all.and(each.decided)
	}
	return all.and(f.possibly())
}

func count(v *adt.Vertex) int {
	conjuncts := 0
	for range v.LeafConjuncts() {
		conjuncts++
	}
	return conjuncts
}

// collector fills the facts of a field with what one of its conjuncts consists of.
type collector struct {
	*tracer
	*facts
	// field is what all of it is unified into, so that is where its references resolve.
	field *adt.Vertex
	seen  map[*adt.Vertex]bool
}

func (c *collector) vertex(v *adt.Vertex, decided uses) {
	for _, each := range []*adt.Vertex{v, v.DerefValue()} {
		if c.seen[each] {
			continue
		}
		c.seen[each] = true
		for conjunct := range each.LeafConjuncts() {
			env, expr := conjunct.EnvExpr()
			c.expr(env, expr, decided)
		}
	}
}

func (c *collector) expr(env *adt.Environment, expr adt.Expr, decided uses) {
	c.step(1)
	switch x := expr.(type) {
	case *adt.Vertex:
		c.vertex(x, decided)
	case *adt.BinaryExpr:
		if x.Op != adt.AndOp {
			c.computed(env, x, decided)
			return
		}
		c.expr(env, x.X, decided)
		c.expr(env, x.Y, decided)
	case *adt.DisjunctionExpr:
		for _, branch := range x.Values {
			c.expr(env, branch.Val, decided)
		}
	case *adt.OpenExpr:
		c.expr(env, x.X, decided)
	case *adt.StructLit:
		scope := &adt.Environment{Up: env, Vertex: c.field}
		c.literals = append(c.literals, literal{x, scope, decided})
		c.embedded(scope, x.Decls, decided)
	case *adt.ListLit:
		c.literals = append(c.literals, literal{x, &adt.Environment{Up: env, Vertex: c.field}, decided})
	case adt.Resolver:
		c.reference(env, x, decided)
	case *adt.CallExpr, *adt.SliceExpr, *adt.Interpolation, *adt.UnaryExpr:
		c.computed(env, expr, decided)
	}
}

func (c *collector) embedded(env *adt.Environment, decls []adt.Decl, decided uses) {
	for _, decl := range decls {
		switch x := decl.(type) {
		case *adt.Comprehension:
			if !embeds(x.Value) {
				continue
			}
			inner := &adt.Environment{Up: c.scopeOf(env, x.Clauses), Vertex: c.field}
			c.embedded(inner, x.Value.Decls, decided.and(c.conditionsOf(env, x)))
		case adt.Expr:
			c.expr(env, x, decided)
		}
	}
}

// embeds tells whether a comprehension yields more than the fields that are written in it.
func embeds(body *adt.StructLit) bool {
	return slices.ContainsFunc(body.Decls, func(decl adt.Decl) bool {
		switch x := decl.(type) {
		case *adt.StructLit:
			return embeds(x)
		case *adt.Comprehension:
			return embeds(x.Value)
		}
		_, isExpr := decl.(adt.Expr)
		return isExpr
	})
}

// reference notes a parameter, or a field of a resource; anything else that is referred to is part of the field itself.
func (c *collector) reference(env *adt.Environment, ref adt.Resolver, decided uses) {
	target := c.resolve(env, ref)
	at := positionOf(ref)
	if names := c.parametersIn(env, ref); len(names) > 0 {
		for _, name := range names {
			c.add(origin{Use: Use{name, at}, value: target, decided: decided})
		}
		return
	}
	if target == nil {
		return
	}
	if name := c.parameterOf(target); name != "" {
		c.add(origin{Use: Use{name, at}, value: target, decided: decided})
		return
	}
	if path := c.resourcePath(target); path != nil {
		c.add(origin{Use: Use{At: at}, reads: path, value: target, decided: decided})
	}
	if target.IsDetached() {
		c.computed(env, ref.(adt.Expr), decided)
	}
	for _, above := range c.tracer.facts(target).origins {
		c.add(above)
	}
	c.vertex(target, decided)
}

func (c *collector) computed(env *adt.Environment, expr adt.Expr, decided uses) {
	found := c.search()
	found.expr(env, expr)
	for _, use := range found.all() {
		c.add(origin{Use: use, decided: decided})
	}
	for _, path := range found.reads.paths {
		c.add(origin{Use: Use{At: positionOf(expr)}, reads: path, decided: decided})
	}
}

// scopeOf stands in for the variables of a comprehension where no field tells their values.
func (t *tracer) scopeOf(env *adt.Environment, clauses []adt.Yielder) *adt.Environment {
	for _, clause := range clauses {
		switch x := clause.(type) {
		case *adt.ForClause, *adt.LetClause:
			env = &adt.Environment{Up: env, Vertex: unknown()}
		case *adt.TryClause:
			if x.Expr != nil {
				env = &adt.Environment{Up: env, Vertex: unknown()}
			}
		}
	}
	return env
}

func unknown() *adt.Vertex {
	v := &adt.Vertex{}
	v.ForceDone()
	return v
}
