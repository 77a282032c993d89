package provenance

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/internal/core/adt"
	"cuelang.org/go/internal/core/eval"
)

// Definition is the source of a value.
type Definition struct {
	// Package is the import path of the package that the value refers to as `name.Field`, also
	// through other fields; "" for a value without such a reference.
	Package string
	// Instance contains the files of that package.
	Instance *build.Instance
	// At is the place of that field.
	At token.Pos
}

// DefinitionOf follows the references of a value.
func DefinitionOf(of cue.Value) Definition {
	core := of.Core()
	if core.V == nil {
		return Definition{}
	}
	d := &definer{
		tracer: &tracer{ctx: eval.NewContext(core.R, core.V), names: core.R, budget: unlimited},
		seen:   map[*adt.Vertex]bool{},
	}
	return d.field(core.V)
}

type definer struct {
	*tracer
	seen map[*adt.Vertex]bool
}

func (d *definer) field(v *adt.Vertex) Definition {
	if d.seen[v] {
		return Definition{}
	}
	d.seen[v] = true
	for c := range v.LeafConjuncts() {
		if found := d.expr(c.EnvExpr()); found.Package != "" {
			return found
		}
	}
	return Definition{}
}

func (d *definer) expr(env *adt.Environment, expr adt.Expr) Definition {
	if x, ok := expr.(*adt.BinaryExpr); ok {
		if found := d.expr(env, x.X); found.Package != "" {
			return found
		}
		return d.expr(env, x.Y)
	}
	ref, ok := expr.(adt.Resolver)
	if !ok {
		return Definition{}
	}
	target := d.resolve(env, ref)
	if target == nil {
		return Definition{}
	}
	if imported := importIn(expr); imported != nil {
		return Definition{
			Package:  imported.ImportPath.StringValue(d.names),
			Instance: imported.Instance,
			At:       writtenAt(target),
		}
	}
	return d.field(target)
}

func importIn(expr adt.Expr) *adt.ImportReference {
	switch x := expr.(type) {
	case *adt.ImportReference:
		return x
	case *adt.SelectorExpr:
		return importIn(x.X)
	}
	return nil
}

// writtenAt returns the place of a field's name, like the positions of adapters that the config
// names.
func writtenAt(v *adt.Vertex) token.Pos {
	for c := range v.LeafConjuncts() {
		if src := c.Source(); src != nil && src.Pos().IsValid() {
			return src.Pos()
		}
	}
	return token.NoPos
}
