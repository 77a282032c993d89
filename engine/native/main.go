// Command native is the CUE engine as a program of this machine.
package main

import (
	"qvs/engine/protocol"
	"qvs/host/process"
	"qvs/host/source"
)

// sources is the digest of the Go sources that the program was built from. The build sets it.
var sources = "unknown"

func main() {
	process.Serve(sources, func(tree source.Tree) process.Engine { return protocol.New(tree) })
}
