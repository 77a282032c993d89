package source

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Memory is a Tree for tests: for each root, the content of files by path.
type Memory []map[string]string

func (m Memory) Files(root int, dir string) []string {
	var names []string
	for file := range m[root] {
		if path.Dir(file) == path.Clean(dir) {
			names = append(names, path.Base(file))
		}
	}
	slices.Sort(names)
	return names
}

func (m Memory) Entries(root int, dir string) []Entry {
	isDir := map[string]bool{}
	for file := range m[root] {
		if rest, ok := below(dir, file); ok {
			name, _, deeper := strings.Cut(rest, "/")
			isDir[name] = deeper
		}
	}
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(isDir)) {
		entries = append(entries, Entry{Name: name, IsDir: isDir[name]})
	}
	return entries
}

func below(dir, file string) (string, bool) {
	if dir == "." {
		return file, true
	}
	return strings.CutPrefix(file, dir+"/")
}

func (m Memory) Read(root int, file string) ([]byte, error) {
	text, ok := m[root][file]
	if !ok {
		return nil, ErrMissing
	}
	return []byte(text), nil
}
