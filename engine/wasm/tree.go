//go:build wasip1

package main

import (
	"bytes"
	"fmt"
	"unsafe"

	"qvs/engine/source"
)

// listFiles and readFile write as much of their answer as fits and return its whole length, or a negative code.

//go:wasmimport host list_files
func listFiles(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

//go:wasmimport host read_file
func readFile(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

type hostTree struct{}

func (hostTree) Files(root int, dir string) []string {
	names, err := ask(listFiles, root, dir)
	if err != nil || len(names) == 0 {
		return nil
	}
	var files []string
	for name := range bytes.SplitSeq(names, []byte{0}) {
		files = append(files, string(name))
	}
	return files
}

func (hostTree) Read(root int, path string) ([]byte, error) { return ask(readFile, root, path) }

type hostCall func(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

// ask calls a second time with enough room when the answer is longer than most files.
func ask(host hostCall, root int, path string) ([]byte, error) {
	name := []byte(path)
	buffer := make([]byte, 32<<10)
	for {
		length := host(uint32(root), unsafe.Pointer(unsafe.SliceData(name)), uint32(len(name)),
			unsafe.Pointer(unsafe.SliceData(buffer)), uint32(len(buffer)))
		if length < 0 {
			return nil, errorOf(length)
		}
		if int(length) <= len(buffer) {
			return buffer[:length], nil
		}
		buffer = make([]byte, length)
	}
}

func errorOf(code int32) error {
	switch code {
	case -1:
		return source.ErrMissing
	case -2:
		return source.ErrRefused
	case -3:
		return source.ErrTooLarge
	}
	return fmt.Errorf("the host answered %d", code)
}
