//go:build wasip1

package main

import "runtime/debug"

// Most evaluations end before the garbage collector would have paid off, so it starts late: at 64 MB, and then when
// the heap has grown many times over, but always before the module's memory limit (2 GiB) comes near.
const (
	growthPercent = 1600
	softLimit     = 1 << 30
)

func init() {
	debug.SetGCPercent(growthPercent)
	debug.SetMemoryLimit(softLimit)
}
