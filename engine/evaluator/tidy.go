package evaluator

import "runtime"

// tidyAbove is how much of the heap, in bytes, may be in use when an evaluation begins.
const tidyAbove = 64 << 20

// tidy collects garbage between two evaluations. WebAssembly has one thread: a collection that starts in the middle of
// an evaluation is not done until a dozen later ones, and doubles the time of each.
func tidy() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc > tidyAbove {
		runtime.GC()
	}
}
