// Command native is the render engine as a program of this machine.
package main

import (
	"qvs/host/process"
	"qvs/host/source"
	"qvs/render/protocol"
)

// sources is the digest of the Go sources that the program was built from. The build sets it.
var sources = "unknown"

func main() {
	process.Serve(sources, func(tree source.Tree) process.Engine { return protocol.New(tree) })
}
