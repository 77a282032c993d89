package provenance

import (
	"math"

	"cuelang.org/go/internal/core/adt"
)

// A trace is limited to this number of steps for each field and conjunct of the evaluated adapter,
// plus a constant. Nearly all adapters need about ten for each. Steps are counted instead of time,
// so that an adapter has the same trace, or none, on every machine.
const (
	stepsForEach = 40
	stepsBesides = 100_000
)

type budget struct {
	// steps are the steps of the tracer and, until the last `begin`, of the evaluator.
	steps int
	limit int
}

var unlimited = budget{limit: math.MaxInt}

// limitExceeded is the panic of a tracer that exceeds its limit.
type limitExceeded struct{}

// begin gives the evaluator a new context, which counts from 0.
func (t *tracer) begin(ctx *adt.OpContext) {
	t.steps = t.Steps()
	t.ctx = ctx
}

// Steps returns the number of steps so far.
func (t *tracer) Steps() int {
	if t.ctx == nil {
		return t.steps
	}
	stats := t.ctx.Stats()
	return t.steps + int(stats.Conjuncts+stats.Unifications)
}

func (t *tracer) step(n int) {
	t.steps += n
	if t.Steps() > t.limit {
		panic(limitExceeded{})
	}
}

// maxSteps returns a limit in proportion to the size of the evaluated adapter.
func maxSteps(adapter *adt.Vertex) int {
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
