// Package source is where the files of an evaluation come from. The engine itself never touches a file system: inside WebAssembly
// there is none, and the host decides what a hostile repository may show us.
package source

import "errors"

// ErrRefused is returned for a file that exists but must not be read, such as a link that leads outside its root.
var ErrRefused = errors.New("the file leads outside of its directory")

// ErrTooLarge is returned when an evaluation asks for more than it can read.
var ErrTooLarge = errors.New("the files are larger than one evaluation can read")

// ErrMissing is returned for a file that is not there.
var ErrMissing = errors.New("no such file")

// Entry is a file or directory by its name. A link to a directory of the root is one; anything else that is none counts as
// a file, of which Read tells whether it can be read.
type Entry struct {
	Name  string
	IsDir bool
}

// Tree answers for the files of all module roots, which are numbered. Paths are slash-separated, relative to the
// root and clean; "." is the root itself.
type Tree interface {
	// Files returns the sorted names of the files directly in a directory; none when there is no such directory.
	Files(root int, dir string) []string
	// Entries returns what is directly in a directory, sorted by name; none when there is no such directory.
	Entries(root int, dir string) []Entry
	Read(root int, path string) ([]byte, error)
}
