package evaluator

import (
	"slices"

	"cuelang.org/go/cue"
)

// fill is an addition to a value at a path.
type fill struct {
	base     Handle
	path     []string
	addition Handle
}

// Fill answers with `value` with `addition` unified in at a path.
func (e *Evaluator) Fill(of Handle, path []string, addition Handle) Handle {
	var handle Handle
	handle = e.keep(func() cue.Value { return e.filled(handle) })
	e.thunks[handle-1].fill = &fill{base: of, path: path, addition: addition}
	return handle
}

// filled computes a value with everything that was filled into it since it was last looked at. To unify means to
// evaluate all of an adapter again, so ten additions one after the other cost no more than one.
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
