package evaluator

import "runtime"

// tidyAbove is how much, in bytes, may pile up on the heap before it is collected.
const tidyAbove = 64 << 20

// operationsBetween are those after which it pays to ask how large the heap is.
const operationsBetween = 100

// tidy collects garbage between two operations. WebAssembly has one thread: a collection that starts in the middle of
// an operation is not done until a dozen later ones, and doubles the time of each. The packages of a large module are
// more than 64 MB by themselves: looking through them again and again would cost more than what is found.
func (e *Evaluator) tidy(above uint64) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc <= above {
		return
	}
	runtime.GC()
	runtime.ReadMemStats(&memory)
	e.kept = memory.HeapAlloc
}

// tidyBefore an evaluation: whatever the one before has made is garbage by then.
func (e *Evaluator) tidyBefore() { e.tidy(e.kept + tidyAbove) }

// tidyWithin one, as often as what is needed has doubled.
func (e *Evaluator) tidyWithin() { e.tidy(e.kept + max(tidyAbove, e.kept)) }

// Tidy is called before each operation: a large evaluation has thousands.
func (e *Evaluator) Tidy() {
	e.operations++
	if e.operations%operationsBetween == 0 {
		e.tidyWithin()
	}
}
