package provenance

import (
	"cuelang.org/go/cue/token"
	"cuelang.org/go/internal/core/adt"
)

// decidedBy returns the parameters that decided about the existence of a conjunct: those of the
// comprehensions around it and, if `named`, of the expression of its field's name.
func (t *tracer) decidedBy(above *facts, c adt.Conjunct, named bool) uses {
	pos := positionOf(c.Elem())
	var decided uses
	isWritten := false
	for _, each := range above.literals {
		if !pos.IsValid() || !contains(each.expr, pos) {
			continue
		}
		isWritten = true
		found := t.search()
		found.along(t.stepsTo(pos, each.expr), c.Env, named)
		found.before(pos, each)
		decided = decided.and(each.decided).and(found.all())
	}
	if !isWritten {
		return above.all()
	}
	return decided
}

// step is a scope or comprehension on the way to a place, or the expression of a field's name.
type step struct {
	comprehension *adt.Comprehension
	key           adt.Expr
}

// stepsTo lists the steps from a literal to a place in it, outermost first; nil if the place isn't
// among its own fields, or if no step decides about them.
func (t *tracer) stepsTo(pos token.Pos, literal adt.Expr) []step {
	switch x := literal.(type) {
	case *adt.StructLit:
		return t.intoStruct(pos, x)
	case *adt.ListLit:
		if !t.yields(x) {
			return nil
		}
		for _, elem := range x.Elems {
			if c, ok := elem.(*adt.Comprehension); ok && contains(c, pos) {
				return []step{{}, {comprehension: c}}
			}
		}
	}
	return nil
}

func (t *tracer) intoStruct(pos token.Pos, literal *adt.StructLit) []step {
	for _, decl := range t.deciding(literal) {
		if !contains(decl, pos) {
			continue
		}
		switch x := decl.(type) {
		case *adt.DynamicField:
			return []step{{}, {key: x.Key}}
		case *adt.Comprehension:
			body := x.Value
			if x.Fallback != nil && contains(x.Fallback, pos) {
				body = x.Fallback
			}
			inner := t.intoStruct(pos, body)
			if inner == nil {
				inner = []step{{}}
			}
			return append([]step{{}, {comprehension: x}}, inner...)
		case *adt.StructLit:
			if inner := t.intoStruct(pos, x); inner != nil {
				return append([]step{{}}, inner...)
			}
		}
	}
	return nil
}

func contains(node adt.Node, pos token.Pos) bool {
	src := node.Source()
	if src == nil || !src.Pos().IsValid() || src.Pos().Filename() != pos.Filename() {
		return false
	}
	return src.Pos().Offset() <= pos.Offset() && pos.Offset() < src.End().Offset()
}

// before adds the comprehensions before a place in a list: their number of items decides about the
// indexes of all later items.
func (s *search) before(pos token.Pos, in literal) {
	list, ok := in.expr.(*adt.ListLit)
	if !ok || !s.yields(list) {
		return
	}
	for _, elem := range list.Elems {
		if contains(elem, pos) {
			return
		}
		if c, ok := elem.(*adt.Comprehension); ok {
			s.ask(question{node: c, env: in.scope}, func(s *search) { s.comprehension(in.scope, c) })
		}
	}
}

// along follows the steps backwards, from the scope of a field outwards. Every scope on the way is
// a real one, so that even the variables of loops resolve.
func (s *search) along(steps []step, env *adt.Environment, named bool) {
	for i := len(steps) - 1; i >= 0 && env != nil; i-- {
		switch {
		case steps[i].comprehension != nil:
			env = s.clauses(steps[i].comprehension, env)
		case steps[i].key != nil:
			if named {
				s.expr(env, steps[i].key)
			}
		default:
			env = env.Up
		}
	}
}

func (s *search) clauses(c *adt.Comprehension, env *adt.Environment) *adt.Environment {
	for i := len(c.Clauses) - 1; i >= 0 && env != nil; i-- {
		switch x := c.Clauses[i].(type) {
		case *adt.IfClause:
			s.expr(env, x.Condition)
		case *adt.ForClause:
			env = env.Up
			s.loop(env, x.Src)
		case *adt.LetClause:
			env = env.Up
			s.expr(env, x.Expr)
		case *adt.TryClause:
			if x.Expr != nil {
				env = env.Up
				s.expr(env, x.Expr)
			}
		}
	}
	return env
}

// loop searches for the sources of the fields that a loop visits. A loop over `resources.app` only
// shows that the resource exists, which its own fields already show.
func (s *search) loop(env *adt.Environment, src adt.Expr) {
	if ref, ok := src.(adt.Resolver); ok && env != nil {
		if target := s.resolve(env, ref); target != nil && len(s.resourcePath(target)) == 1 {
			return
		}
	}
	if env != nil {
		s.ask(question{node: src, env: env}, func(s *search) { s.expr(env, src) })
	}
}
