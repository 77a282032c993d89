//go:build wasip1

// Command wasm is the render engine as a WebAssembly module.
package main

import (
	"qvs/host/source"
	"qvs/host/wasm"
	"qvs/render/protocol"
)

func main() {}

func init() { wasm.Serve(func(tree source.Tree) wasm.Engine { return protocol.New(tree) }) }
