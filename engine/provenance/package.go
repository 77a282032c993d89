package provenance

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/internal/core/adt"
	"cuelang.org/go/internal/core/eval"
)

// Package is the import path of the package that a value was taken from by `name.Field`, also by way of other fields
// of the same file; "" for a value that is written where it stands.
func Package(of cue.Value) string {
	core := of.Core()
	if core.V == nil {
		return ""
	}
	t := &tracer{ctx: eval.NewContext(core.R, core.V), names: core.R}
	return t.packageOf(core.V, map[*adt.Vertex]bool{})
}

func (t *tracer) packageOf(v *adt.Vertex, seen map[*adt.Vertex]bool) string {
	if seen[v] {
		return ""
	}
	seen[v] = true
	for c := range v.LeafConjuncts() {
		env, expr := c.EnvExpr()
		if path := t.packageIn(env, expr, seen); path != "" {
			return path
		}
	}
	return ""
}

func (t *tracer) packageIn(env *adt.Environment, expr adt.Expr, seen map[*adt.Vertex]bool) string {
	switch x := expr.(type) {
	case *adt.BinaryExpr:
		if path := t.packageIn(env, x.X, seen); path != "" {
			return path
		}
		return t.packageIn(env, x.Y, seen)
	case *adt.ImportReference:
		return x.ImportPath.StringValue(t.names)
	case *adt.SelectorExpr:
		if path := t.packageIn(env, x.X, seen); path != "" {
			return path
		}
	}
	if ref, ok := expr.(adt.Resolver); ok {
		if target := t.resolve(env, ref); target != nil {
			return t.packageOf(target, seen)
		}
	}
	return ""
}
