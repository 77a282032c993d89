//go:build !linux

package process

import (
	"os"
	"runtime"
	"time"
)

// limitSystemMemory checks the memory in short intervals on systems without such a limit.
func limitSystemMemory() {
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			if memory.Sys-memory.HeapReleased > hardLimit {
				os.Stderr.WriteString("out of memory\n")
				os.Exit(2)
			}
		}
	}()
}
