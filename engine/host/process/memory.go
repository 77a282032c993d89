package process

import "runtime/debug"

const (
	// Most evaluations end before a garbage collection pays off, so it starts at 128 MB by itself,
	// and always before the limit.
	growthPercent = 3200
	softLimit     = 1 << 30
	// hardLimit equals the memory limit of the WebAssembly module
	// (docs/reference/adapters.md#limits).
	hardLimit = 2 << 30
	// maxStack is about the depth that the stack of the worker thread allows the WebAssembly
	// module.
	maxStack = 64 << 20
)

// limitMemory limits the memory of an evaluation. Go ends the program when the system denies more
// memory.
func limitMemory() {
	debug.SetGCPercent(growthPercent)
	debug.SetMemoryLimit(softLimit)
	debug.SetMaxStack(maxStack)
	limitSystemMemory()
}
