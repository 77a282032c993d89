package source

import (
	"path"
	"slices"
)

// Memory is a Tree for tests: per root, file texts by path.
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

func (m Memory) Read(root int, file string) ([]byte, error) {
	text, ok := m[root][file]
	if !ok {
		return nil, ErrMissing
	}
	return []byte(text), nil
}
