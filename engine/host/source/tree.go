// Package source defines the files of an evaluation. The engine never accesses a file system:
// WebAssembly has none, and the host decides which files of a hostile repository an evaluation can
// read.
package source

import "errors"

// ErrOutside is the error of a file that exists but must not be read, such as a link that leads
// outside of its root.
var ErrOutside = errors.New("the file leads outside of its directory")

// ErrTooLarge is the error of an evaluation that asks for more than it can read.
var ErrTooLarge = errors.New("the files are larger than one evaluation can read")

// ErrMissing is the error of a file that doesn't exist.
var ErrMissing = errors.New("no such file")

// Entry is a file or directory with its name. A link to a directory of the root is a directory.
// Every other entry counts as a file, and Read returns an error if it can't be read.
type Entry struct {
	Name  string
	IsDir bool
}

// Tree reads the files of all module roots, which are numbered. Paths are slash-separated, relative
// to the root and clean; "." is the root itself.
type Tree interface {
	// Files returns the sorted names of the files directly in a directory; none if it doesn't
	// exist.
	Files(root int, dir string) []string
	// Entries returns the entries of a directory, sorted by name; none if it doesn't exist.
	Entries(root int, dir string) []Entry
	Read(root int, path string) ([]byte, error)
}
