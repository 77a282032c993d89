package evaluator

import (
	"slices"

	"cuelang.org/go/cue"
)

// fill is an addition at a path of a value.
type fill struct {
	base     Handle
	path     []string
	addition Handle
}

// Fill returns `value` after unification with `addition` at a path.
func (e *Evaluator) Fill(of Handle, path []string, addition Handle) Handle {
	var handle Handle
	handle = e.keep(func() cue.Value { return e.filled(handle) })
	e.thunks[handle-1].fill = &fill{base: of, path: path, addition: addition}
	return handle
}

// filled computes a value with all additions since its last use. Each unification evaluates all of
// an adapter again, so ten additions in a row cost as much as one.
func (e *Evaluator) filled(of Handle) cue.Value {
	base, fills := e.pendingFills(of)
	additions := make([]cue.Value, 0, len(fills))
	for _, f := range fills {
		additions = append(additions, e.wrapped(f))
	}
	return base.Unify(unifyAll(additions))
}

func (e *Evaluator) pendingFills(of Handle) (cue.Value, []*fill) {
	var fills []*fill
	for {
		t := e.thunks[of-1]
		if t.fill == nil || t.generation == e.generation {
			slices.Reverse(fills)
			return e.value(of), fills
		}
		fills = append(fills, t.fill)
		of = t.fill.base
	}
}

func (e *Evaluator) wrapped(f *fill) cue.Value {
	addition := e.value(f.addition)
	if len(f.path) == 0 {
		return addition
	}
	return e.context.CompileString("_").FillPath(pathOf(f.path), addition)
}

// unifyAll unifies in pairs, so that each value takes part in few evaluations.
func unifyAll(values []cue.Value) cue.Value {
	if len(values) == 1 {
		return values[0]
	}
	middle := len(values) / 2
	return unifyAll(values[:middle]).Unify(unifyAll(values[middle:]))
}
