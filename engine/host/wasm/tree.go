//go:build wasip1

package wasm

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"qvs/host/source"
)

// listFiles, listEntries and readFile write as much of their answer as fits, and return its whole
// length or a negative code.

//go:wasmimport host list_files
func listFiles(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

// listEntries appends a slash to the names of directories.
//
//go:wasmimport host list_entries
func listEntries(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

//go:wasmimport host read_file
func readFile(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

type hostTree struct{}

func (hostTree) Files(root int, dir string) []string { return askNames(listFiles, root, dir) }

func (hostTree) Entries(root int, dir string) []source.Entry {
	var entries []source.Entry
	for _, name := range askNames(listEntries, root, dir) {
		name, isDir := strings.CutSuffix(name, "/")
		entries = append(entries, source.Entry{Name: name, IsDir: isDir})
	}
	return entries
}

func askNames(host hostCall, root int, dir string) []string {
	answer, err := ask(host, root, dir)
	if err != nil || len(answer) == 0 {
		return nil
	}
	var names []string
	for name := range bytes.SplitSeq(answer, []byte{0}) {
		names = append(names, string(name))
	}
	return names
}

func (hostTree) Read(root int, path string) ([]byte, error) { return ask(readFile, root, path) }

type hostCall func(root uint32, path unsafe.Pointer, pathLength uint32, into unsafe.Pointer, capacity uint32) int32

// ask repeats the call with a larger buffer if the answer is longer than most files.
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
		return source.ErrOutside
	case -3:
		return source.ErrTooLarge
	}
	return fmt.Errorf("the host answered %d", code)
}
