package provenance

import (
	"slices"

	"cuelang.org/go/internal/core/adt"
)

type uses []Use

// and returns the union of both.
func (u uses) and(others uses) uses {
	if len(u) == 0 {
		return others[:len(others):len(others)]
	}
	both := u[:len(u):len(u)]
	for _, use := range others {
		if !slices.Contains(both, use) {
			both = append(both, use)
		}
	}
	return both
}

// search collects the sources of a value.
type search struct {
	*tracer
	found
	open *pending[question]
	seen map[*adt.Vertex]bool
}

func (t *tracer) search() *search {
	return &search{tracer: t, open: newPending[question](&t.depths), seen: map[*adt.Vertex]bool{}}
}

// allBut excludes conditions that already decided about the field itself.
func (s *search) allBut(decided uses) uses {
	all := s.uses
	for _, use := range s.conditions {
		isKnown := slices.ContainsFunc(decided, func(other Use) bool { return other.Name == use.Name })
		if !isKnown {
			all = all.and(uses{use})
		}
	}
	return all
}

// field adds the sources of a referenced field, and of its parents.
func (s *search) field(v *adt.Vertex) {
	s.ask(question{node: v}, func(s *search) {
		known := s.facts(v)
		s.parts(known.origins)
		s.conditions = s.conditions.and(known.all())
		s.vertex(v)
	})
}

func (s *search) parts(origins []origin) {
	for _, o := range origins {
		if o.reads != nil {
			s.reads.add(o.reads)
		} else {
			s.uses = s.uses.and(uses{o.Use})
		}
	}
}

// vertex adds the sources of everything that was unified into a field and the fields below it.
func (s *search) vertex(v *adt.Vertex) {
	s.step(1)
	for _, each := range []*adt.Vertex{v, v.DerefValue()} {
		if s.seen[each] {
			continue
		}
		s.seen[each] = true
		for c := range each.LeafConjuncts() {
			env, expr := c.EnvExpr()
			s.whole(env, expr, each)
		}
	}
	for _, field := range members(v) {
		s.vertex(field)
	}
}

// whole works like expr for the conjuncts of a field: the values of its own fields are searched as
// fields.
func (s *search) whole(env *adt.Environment, expr adt.Expr, in *adt.Vertex) {
	s.step(1)
	switch x := expr.(type) {
	case *adt.Vertex:
		if s.seen[x] {
			return
		}
		s.seen[x] = true
		for c := range x.LeafConjuncts() {
			inner, part := c.EnvExpr()
			s.whole(inner, part, in)
		}
	case *adt.BinaryExpr:
		if x.Op == adt.AndOp {
			s.whole(env, x.X, in)
			s.whole(env, x.Y, in)
			return
		}
		s.expr(env, x)
	case *adt.StructLit:
		inner := &adt.Environment{Up: env, Vertex: in}
		for _, decl := range x.Decls {
			switch d := decl.(type) {
			case *adt.Comprehension:
				s.comprehension(inner, d)
			case *adt.DynamicField:
				s.expr(inner, d.Key)
			case adt.Expr:
				s.whole(inner, d, in)
			}
		}
	case *adt.ListLit:
		inner := &adt.Environment{Up: env, Vertex: in}
		for _, elem := range x.Elems {
			if comprehension, ok := elem.(*adt.Comprehension); ok {
				s.comprehension(inner, comprehension)
			}
		}
	default:
		s.expr(env, expr)
	}
}

func (s *search) expr(env *adt.Environment, expr adt.Expr) {
	s.step(1)
	switch x := expr.(type) {
	case adt.Resolver:
		s.reference(env, x)
	case *adt.Vertex:
		s.vertex(x)
	case *adt.BinaryExpr:
		s.expr(env, x.X)
		s.expr(env, x.Y)
	case *adt.UnaryExpr:
		s.expr(env, x.X)
	case *adt.OpenExpr:
		s.expr(env, x.X)
	case *adt.BoundExpr:
		s.expr(env, x.Expr)
	case *adt.Interpolation:
		for _, part := range x.Parts {
			s.expr(env, part)
		}
	case *adt.CallExpr:
		s.expr(env, x.Fun)
		for _, arg := range x.Args {
			s.expr(env, arg)
		}
	case *adt.SliceExpr:
		for _, part := range []adt.Expr{x.X, x.Lo, x.Hi, x.Stride} {
			if part != nil {
				s.expr(env, part)
			}
		}
	case *adt.DisjunctionExpr:
		for _, branch := range x.Values {
			s.expr(env, branch.Val)
		}
	case *adt.StructLit:
		s.decls(&adt.Environment{Up: env, Vertex: unknown()}, x.Decls)
	case *adt.ListLit:
		inner := &adt.Environment{Up: env, Vertex: unknown()}
		for _, elem := range x.Elems {
			s.elem(inner, elem)
		}
	}
}

// decls adds the declarations of a literal within an expression, which has no field of its own.
func (s *search) decls(env *adt.Environment, decls []adt.Decl) {
	for _, decl := range decls {
		switch x := decl.(type) {
		case *adt.Field:
			s.expr(env, x.Value)
		case *adt.LetField:
			s.expr(env, x.Value)
		case *adt.BulkOptionalField:
			s.expr(env, x.Value)
		case *adt.DynamicField:
			s.expr(env, x.Key)
			s.expr(env, x.Value)
		case adt.Elem:
			s.elem(env, x)
		}
	}
}

func (s *search) elem(env *adt.Environment, elem adt.Elem) {
	switch x := elem.(type) {
	case *adt.Comprehension:
		s.comprehension(env, x)
		s.decls(&adt.Environment{Up: s.scopeOf(env, x.Clauses), Vertex: unknown()}, x.Value.Decls)
		if x.Fallback != nil {
			s.decls(&adt.Environment{Up: env, Vertex: unknown()}, x.Fallback.Decls)
		}
	case adt.Expr:
		s.expr(env, x)
	}
}

func (s *search) comprehension(env *adt.Environment, c *adt.Comprehension) {
	for _, clause := range c.Clauses {
		switch x := clause.(type) {
		case *adt.ForClause:
			s.expr(env, x.Src)
		case *adt.LetClause:
			s.expr(env, x.Expr)
		case *adt.IfClause:
			s.expr(env, x.Condition)
		case *adt.TryClause:
			if x.Expr != nil {
				s.expr(env, x.Expr)
			}
		}
		env = s.scopeOf(env, []adt.Yielder{clause})
	}
}

func (s *search) reference(env *adt.Environment, ref adt.Resolver) {
	if _, ok := ref.(*adt.ImportReference); ok {
		return
	}
	at := positionOf(ref)
	if names := s.parametersIn(env, ref); len(names) > 0 {
		for _, name := range names {
			s.uses = s.uses.and(uses{{name, at}})
			s.defaults(name)
		}
		return
	}
	if index, ok := ref.(*adt.IndexExpr); ok {
		s.expr(env, index.Index)
	}
	target := s.resolve(env, ref)
	if target == nil || target.IsDetached() {
		s.operand(env, ref)
	}
	if target == nil || s.isForeignParameter(target) {
		return
	}
	if name := s.parameterOf(target); name != "" {
		s.uses = s.uses.and(uses{{name, at}})
		s.defaults(name)
		return
	}
	if path := s.resourcePath(target); path != nil {
		s.reads.add(path)
	}
	s.field(target)
}

// operand handles a reference into a value that isn't a field, such as `{a: x}.a` or `f(x).a`, and
// a reference into a resource to which another adapter adds fields later.
func (s *search) operand(env *adt.Environment, ref adt.Resolver) {
	var labels []adt.Feature
	for {
		var of adt.Expr
		switch x := ref.(type) {
		case *adt.SelectorExpr:
			of, labels = x.X, append(labels, x.Sel)
		case *adt.IndexExpr:
			label := s.labelOf(env, x.Index)
			if label == 0 {
				s.expr(env, x.X)
				return
			}
			of, labels = x.X, append(labels, label)
		default:
			return
		}
		inner, ok := of.(adt.Resolver)
		if !ok {
			s.expr(env, of)
			return
		}
		ref = inner
		target := s.resolve(env, ref)
		if target == nil {
			continue
		}
		if target.IsDetached() {
			s.expr(env, of)
			return
		}
		slices.Reverse(labels)
		s.lacking(target, labels)
		if path := s.resourcePath(target); path != nil {
			for _, label := range labels {
				path = append(path, s.name(label))
			}
			s.reads.add(path)
		}
		return
	}
}

// defaults adds the parameters in the default of a parameter.
func (s *search) defaults(name string) {
	if arc := s.parameterNamed(name); arc != nil && !s.seen[arc] {
		s.ask(question{node: arc, alone: true}, func(s *search) { s.vertex(arc) })
	}
}
