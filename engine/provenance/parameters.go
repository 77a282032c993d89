package provenance

import (
	"slices"

	"cuelang.org/go/internal/core/adt"
)

func (t *tracer) parameters() *adt.Vertex {
	if t.own == nil {
		t.own = t.findParameters()
	}
	return t.own
}

func (t *tracer) findParameters() *adt.Vertex {
	for _, arc := range t.root.DerefValue().Arcs {
		if t.isNamed(arc, "parameters") {
			return arc
		}
	}
	return unknown()
}

// parameterNamed returns nil for a parameter that the adapter doesn't have.
func (t *tracer) parameterNamed(name string) *adt.Vertex {
	for _, arc := range t.parameters().DerefValue().Arcs {
		if arc.Label.IsRegular() && t.name(arc.Label) == name {
			return arc
		}
	}
	return nil
}

func (t *tracer) isNamed(v *adt.Vertex, name string) bool {
	return v.Label.IsString() && t.name(v.Label) == name
}

func (t *tracer) isRoot(v *adt.Vertex) bool {
	return v != nil && (v == t.root || v.DerefValue() == t.root.DerefValue())
}

func (t *tracer) isParameters(v *adt.Vertex) bool {
	own := t.parameters()
	return v == own || v.DerefValue() == own.DerefValue()
}

// isResource returns true for `resources.STAGE.ID`. The source of its name is no source of the
// manifest.
func (t *tracer) isResource(v *adt.Vertex) bool {
	if v.Parent == nil || v.Parent.Parent == nil {
		return false
	}
	field := v.Parent.Parent
	return t.isRoot(field.Parent) && (t.isNamed(field, "resources") || t.isNamed(field, "defer"))
}

// isForeignParameter returns true for parameters of other adapters, whose values have their own
// traces. Resources can also have a field with that name.
func (t *tracer) isForeignParameter(v *adt.Vertex) bool {
	for ; v != nil; v = v.Parent {
		if v.Parent != nil && t.isNamed(v, "parameters") && !t.isParameters(v) && t.isAdapter(v.Parent) {
			return true
		}
	}
	return false
}

func (t *tracer) isAdapter(v *adt.Vertex) bool {
	for _, arc := range v.DerefValue().Arcs {
		for _, name := range []string{"resources", "composites", "defer", "pipelines"} {
			if t.isNamed(arc, name) {
				return true
			}
		}
	}
	return false
}

// parameterOf returns the name of the parameter that is or contains a field; "" for any other
// field.
func (t *tracer) parameterOf(v *adt.Vertex) string {
	for _, each := range []*adt.Vertex{v, v.DerefValue()} {
		for ; each != nil && each.Parent != nil; each = each.Parent {
			if t.isParameters(each.Parent) && each.Label.IsRegular() {
				return t.name(each.Label)
			}
		}
	}
	return ""
}

// parametersIn returns the names of the parameters in a reference, even if they have no value:
// `parameters.x`, `parameters.x.y`, `parameters["x"]`. `parameters` alone, and `parameters[n]` with
// an unknown n, refer to all.
func (t *tracer) parametersIn(env *adt.Environment, ref adt.Resolver) []string {
	switch x := ref.(type) {
	case *adt.SelectorExpr:
		if t.leadsToParameters(env, x.X) {
			return []string{t.name(x.Sel)}
		}
		return t.parametersBelow(env, x.X)
	case *adt.IndexExpr:
		if !t.leadsToParameters(env, x.X) {
			return t.parametersBelow(env, x.X)
		}
		if index, ok := t.evaluate(env, x.Index).(*adt.String); ok {
			return []string{index.Str}
		}
		return t.allParameters()
	}
	if t.leadsToParameters(env, ref.(adt.Expr)) {
		return t.allParameters()
	}
	return nil
}

func (t *tracer) parametersBelow(env *adt.Environment, x adt.Expr) []string {
	if ref, ok := x.(adt.Resolver); ok && !t.leadsToParameters(env, x) {
		return t.parametersIn(env, ref)
	}
	return nil
}

func (t *tracer) leadsToParameters(env *adt.Environment, x adt.Expr) bool {
	ref, ok := x.(adt.Resolver)
	if !ok {
		return false
	}
	target := t.resolve(env, ref)
	return target != nil && t.isParameters(target)
}

func (t *tracer) allParameters() []string {
	var names []string
	for _, field := range members(t.parameters()) {
		names = append(names, t.name(field.Label))
	}
	return names
}

// resourcePath returns the path of a field below `resources` of the adapter; nil for any other
// field, and for fields that aren't in manifests.
func (t *tracer) resourcePath(v *adt.Vertex) []string {
	var path []string
	for ; v != nil && v.Parent != nil; v = v.Parent {
		if !v.Label.IsRegular() {
			return nil
		}
		if t.isNamed(v, "resources") && t.isRoot(v.Parent) {
			slices.Reverse(path)
			return append([]string{}, path...)
		}
		path = append(path, t.name(v.Label))
	}
	return nil
}

// resolve returns the field that a reference leads to, nil if there is none.
func (t *tracer) resolve(env *adt.Environment, ref adt.Resolver) *adt.Vertex {
	t.step(1)
	return t.resolved(env, ref)
}

func (t *tracer) resolved(env *adt.Environment, ref adt.Resolver) (target *adt.Vertex) {
	// A scope with placeholders lacks data that the evaluator relies on.
	defer func() {
		if recover() != nil {
			target = nil
		}
	}()
	target, _ = t.ctx.Resolve(adt.MakeConjunct(env, ref, adt.CloseInfo{}), ref)
	return target
}

func (t *tracer) evaluate(env *adt.Environment, x adt.Expr) (value adt.Value) {
	defer func() {
		if recover() != nil {
			value = nil
		}
	}()
	value, _ = t.ctx.Evaluate(env, x)
	return adt.Unwrap(value)
}
