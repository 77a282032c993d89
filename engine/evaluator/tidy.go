package evaluator

import "runtime"

// tidyAbove is how much, in bytes, may pile up on the heap before an evaluation begins.
const tidyAbove = 64 << 20

// tidy collects garbage between two evaluations. WebAssembly has one thread: a collection that starts in the middle of
// an evaluation is not done until a dozen later ones, and doubles the time of each. The packages of a large module are
// more than 64 MB by themselves: looking through them before each of many small evaluations would cost more than those.
func (e *Evaluator) tidy() { e.collectAbove(e.kept + tidyAbove) }

// tidyWhileLoading does so within a large one, as often as what is needed has doubled: adapters are loaded one by one.
func (e *Evaluator) tidyWhileLoading() { e.collectAbove(2*e.kept + tidyAbove) }

func (e *Evaluator) collectAbove(bytes uint64) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc <= bytes {
		return
	}
	runtime.GC()
	runtime.ReadMemStats(&memory)
	e.kept = memory.HeapAlloc
}
