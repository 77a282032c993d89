//go:build wasip1

// Package wasm serves an engine in a WebAssembly module. The host calls alloc, writes a request,
// and calls call.
package wasm

import (
	"unsafe"

	"qvs/host/source"
)

// Engine answers requests.
type Engine interface{ Call(request []byte) []byte }

var engine Engine

// Serve creates the engine that `call` uses. Its program has an empty main function.
func Serve(start func(source.Tree) Engine) { engine = start(hostTree{}) }

// buffers protects memory that the host accesses from the garbage collector.
var buffers = map[uintptr][]byte{}

//go:wasmexport alloc
func alloc(size uint32) uint32 {
	buffer := make([]byte, max(size, 1))
	return uint32(hold(buffer))
}

//go:wasmexport dealloc
func dealloc(pointer uint32) { delete(buffers, uintptr(pointer)) }

// call returns the address of the answer in the upper half and its length in the lower half.
//
//go:wasmexport call
func call(pointer, length uint32) uint64 {
	answer := engine.Call(buffers[uintptr(pointer)][:length])
	dealloc(pointer)
	return uint64(hold(answer))<<32 | uint64(len(answer))
}

func hold(buffer []byte) uintptr {
	pointer := uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
	buffers[pointer] = buffer
	return pointer
}
