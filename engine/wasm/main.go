//go:build wasip1

// Command wasm is the CUE engine as a WebAssembly module.
package main

import (
	"qvs/engine/protocol"
	"qvs/host/source"
	"qvs/host/wasm"
)

func main() {}

func init() { wasm.Serve(func(tree source.Tree) wasm.Engine { return protocol.New(tree) }) }
