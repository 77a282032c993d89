//go:build wasip1

package wasm

import (
	"runtime"
	"runtime/debug"
)

// Most evaluations end before the garbage collector would have paid off, so it starts late by itself: at 256 MB, and
// then when the heap has grown many times over, but always before the module's memory limit (2 GiB) comes near. What
// has piled up before that is collected between two evaluations.
const (
	growthPercent = 6400
	softLimit     = 1 << 30
)

// reservedBytes is as much as an evaluation of 5,000 resources takes.
const reservedBytes = 512 << 20

func init() {
	debug.SetGCPercent(growthPercent)
	debug.SetMemoryLimit(softLimit)
	reserve()
}

var reserved []byte

// reserve makes the module's memory large before anything needs it. Go would grow it by 4 MiB at a time, and with each
// step V8 collects all of its own garbage, since it counts the memory as its own: 350 times in an evaluation of 5,000
// resources, a quarter of its time. Nothing is written to these pages, so they cost nothing until they are used.
func reserve() {
	reserved = make([]byte, reservedBytes)
	reserved = nil
	debug.FreeOSMemory()
}

// unused tells how many bytes of the module's memory were never used. Go counts them as given back to the system.
//
//go:wasmexport unused
func unused() uint64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapReleased
}
