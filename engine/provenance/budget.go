package provenance

import (
	"math"

	"cuelang.org/go/internal/core/adt"
)

// A trace may take so many steps for each field and each of its conjuncts that the adapter was evaluated to, and so many
// besides. It takes some ten for each of nearly all adapters. They are counted instead of timed, so that an adapter has the
// same trace on every machine, or has none.
const (
	stepsForEach = 40
	stepsBesides = 100_000
)

type budget struct {
	// steps are those of the tracer and, up to the last beginning, of the evaluator for it.
	steps int
	most  int
}

var unlimited = budget{most: math.MaxInt}

// tooLong is what a tracer panics with that takes more steps than it may.
type tooLong struct{}

// begin lets the evaluator work in a new context, which counts from 0.
func (t *tracer) begin(ctx *adt.OpContext) {
	t.steps = t.Steps()
	t.ctx = ctx
}

// Steps counts what was done so far.
func (t *tracer) Steps() int {
	if t.ctx == nil {
		return t.steps
	}
	stats := t.ctx.Stats()
	return t.steps + int(stats.Conjuncts+stats.Unifications)
}

func (t *tracer) step(n int) {
	t.steps += n
	if t.Steps() > t.most {
		panic(tooLong{})
	}
}

// mostSteps is in proportion to what an adapter was evaluated to.
func mostSteps(adapter *adt.Vertex) int {
	return stepsBesides + stepsForEach*size(adapter, map[*adt.Vertex]bool{})
}

func size(v *adt.Vertex, seen map[*adt.Vertex]bool) int {
	v = v.DerefValue()
	if seen[v] {
		return 0
	}
	seen[v] = true
	total := 1 + count(v)
	for _, arc := range v.Arcs {
		total += size(arc, seen)
	}
	return total
}
