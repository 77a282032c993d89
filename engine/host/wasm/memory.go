//go:build wasip1

package wasm

import (
	"runtime"
	"runtime/debug"
)

// Most evaluations end before a garbage collection pays off, so it starts late: at 256 MB, then
// after the heap has grown many times, but always before the module's memory limit (2 GiB). Garbage
// that remains is collected between two evaluations.
const (
	growthPercent = 6400
	softLimit     = 1 << 30
)

// reservedBytes is the memory of an evaluation of 5,000 resources.
const reservedBytes = 512 << 20

func init() {
	debug.SetGCPercent(growthPercent)
	debug.SetMemoryLimit(softLimit)
	reserve()
}

var reserved []byte

// reserve makes the module's memory large before it is needed. Go would grow it by 4 MiB at a time.
// At each step, V8 collects all of its own garbage, because it counts the memory as its own: 350
// times in an evaluation of 5,000 resources, a quarter of its time. Unwritten pages cost nothing.
func reserve() {
	reserved = make([]byte, reservedBytes)
	reserved = nil
	debug.FreeOSMemory()
}

// unused returns the number of bytes of the module's memory that were never used. Go counts them as
// returned to the system.
//
//go:wasmexport unused
func unused() uint64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapReleased
}
