package process

import "runtime/debug"

const (
	// Most evaluations end before the garbage collector would have paid off, so it starts at 128 MB by itself, and always before
	// the limit comes near.
	growthPercent = 3200
	softLimit     = 1 << 30
	// hardLimit is that of the WebAssembly module's memory (docs/reference/adapters.md#limits).
	hardLimit = 2 << 30
	// maxStack is about as deep as the stack of the worker thread lets the WebAssembly module go.
	maxStack = 64 << 20
)

// limitMemory limits what an evaluation can use. Go stops the program when the system gives it no more memory.
func limitMemory() {
	debug.SetGCPercent(growthPercent)
	debug.SetMemoryLimit(softLimit)
	debug.SetMaxStack(maxStack)
	limitSystemMemory()
}
