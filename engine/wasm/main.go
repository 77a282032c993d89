//go:build wasip1

// Command wasm is the engine as a WebAssembly module. The host calls alloc, writes a request, and calls call.
package main

import (
	"unsafe"

	"qvs/engine/protocol"
)

func main() {}

var engine = protocol.New(hostTree{})

// held keeps what the host writes to and reads from away from the garbage collector.
var held = map[uintptr][]byte{}

//go:wasmexport alloc
func alloc(size uint32) uint32 {
	buffer := make([]byte, max(size, 1))
	return uint32(hold(buffer))
}

//go:wasmexport dealloc
func dealloc(pointer uint32) { delete(held, uintptr(pointer)) }

// call answers with the address of the answer in the upper half and its length in the lower one.
//
//go:wasmexport call
func call(pointer, length uint32) uint64 {
	answer := engine.Call(held[uintptr(pointer)][:length])
	dealloc(pointer)
	return uint64(hold(answer))<<32 | uint64(len(answer))
}

func hold(buffer []byte) uintptr {
	pointer := uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
	held[pointer] = buffer
	return pointer
}
