//go:build wasip1

package main

import "runtime/debug"

// Most evaluations end before the garbage collector would have paid off, so it starts late by itself: at 256 MB, and
// then when the heap has grown many times over, but always before the module's memory limit (2 GiB) comes near. What
// has piled up before that is collected between two evaluations.
const (
	growthPercent = 6400
	softLimit     = 1 << 30
)

func init() {
	debug.SetGCPercent(growthPercent)
	debug.SetMemoryLimit(softLimit)
}
