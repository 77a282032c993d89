package provenance

import (
	"slices"

	"cuelang.org/go/cue/token"
	"cuelang.org/go/internal/core/adt"
)

// facts describe a field as far as the sources of the fields below it depend on it.
type facts struct {
	// decided contains, for each of the field's conjuncts, the parameters that decided about its
	// existence.
	decided []uses
	// literals are the structs and lists that were unified into the field, also through references.
	literals []literal
	// origins are the references that set the field as a whole.
	origins []origin
	// possible are the expressions that comprehensions unify into the field if their conditions are
	// true.
	possible []possible
	// places are the indexes of origins by their keys.
	places map[originKey]int
	// near are the places of the closest field above that has a place.
	near []token.Pos
}

// literal is a struct or list in the source.
type literal struct {
	expr    adt.Expr
	scope   *adt.Environment
	decided uses
}

// origin is a parameter or a field of a resource, with the value that it gave to the field. The
// value is nil for the result of a function, because any part can come from any operand.
type origin struct {
	Use
	reads   []string
	value   *adt.Vertex
	decided uses
}

// originKey is equal for the same place reached through different references.
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

// facts returns the facts of a field, computed once.
func (t *tracer) facts(v *adt.Vertex) *facts {
	t.fields.leadsBack(v)
	if known := t.known[v]; known != nil {
		return known
	}
	// The decision about a field can refer to that field, which is then asked for during its own
	// computation.
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

// factsBelow returns the facts of a field that might be shared: `above` describes its parent here.
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

// all returns the parameters that decided about any part of a field.
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

// collector adds the parts of a conjunct to the facts of a field.
type collector struct {
	*tracer
	*facts
	// field is the target of the unification, in which references resolve.
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

// embeds reports whether a comprehension yields more than its written fields.
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

// reference adds a parameter or a field of a resource. Any other target counts as part of the field
// itself.
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

// scopeOf returns a scope with placeholders for the variables of a comprehension whose values no
// field shows.
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
