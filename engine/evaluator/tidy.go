package evaluator

import "runtime"

// tidyAbove is the growth of the heap after which it is collected, in bytes.
const tidyAbove = 64 << 20

// operationsBetween is the number of operations between two checks of the heap, because a check
// isn't free.
const operationsBetween = 100

// tidy collects garbage between two operations. WebAssembly has one thread: a collection that
// starts in the middle of an operation ends a dozen operations later, and doubles the time of each.
// The packages of a large module need more than 64 MB, so frequent collections cost more than they
// free.
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

// tidyBefore collects before an evaluation: all values of the previous evaluation are garbage by
// then.
func (e *Evaluator) tidyBefore() { e.tidy(e.kept + tidyAbove) }

// tidyWithin collects during an evaluation, each time that the heap has doubled.
func (e *Evaluator) tidyWithin() { e.tidy(e.kept + max(tidyAbove, e.kept)) }

// Tidy collects garbage if enough operations have passed. It is called before each operation: a
// large evaluation has thousands.
func (e *Evaluator) Tidy() {
	e.operations++
	if e.operations%operationsBetween == 0 {
		e.tidyWithin()
	}
}
