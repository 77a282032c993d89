package process

import (
	"os"
	"syscall"
)

// rlimitData counts writable memory. Go reserves much more address space than it uses, so RLIMIT_AS
// would limit the wrong number.
const rlimitData = syscall.RLIMIT_DATA

func limitSystemMemory() {
	limit := syscall.Rlimit{Cur: hardLimit, Max: hardLimit}
	if err := syscall.Setrlimit(rlimitData, &limit); err != nil {
		os.Stderr.WriteString("the memory can't be limited: " + err.Error() + "\n")
		os.Exit(1)
	}
}
