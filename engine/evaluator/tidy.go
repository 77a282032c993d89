package evaluator

import "runtime"

// tidyAbove is how much, in bytes, may pile up on the heap before an evaluation begins.
const tidyAbove = 64 << 20

// tidy collects garbage between two evaluations. WebAssembly has one thread: a collection that starts in the middle of
// an evaluation is not done until a dozen later ones, and doubles the time of each. The packages of a large module are
// more than 64 MB by themselves: looking through them before each of many small evaluations would cost more than those.
func (e *Evaluator) tidy() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc <= e.kept+tidyAbove {
		return
	}
	runtime.GC()
	runtime.ReadMemStats(&memory)
	e.kept = memory.HeapAlloc
}
