package source

import (
	"os"
	"path/filepath"
)

// Directory is a Tree over directories on disk, for native tests that compare with cue/load.
type Directory []string

func (d Directory) Files(root int, dir string) []string {
	entries, err := os.ReadDir(filepath.Join(d[root], dir))
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (d Directory) Entries(root int, dir string) []Entry {
	found, err := os.ReadDir(filepath.Join(d[root], dir))
	if err != nil {
		return nil
	}
	var entries []Entry
	for _, entry := range found {
		entries = append(entries, Entry{Name: entry.Name(), IsDir: entry.IsDir()})
	}
	return entries
}

func (d Directory) Read(root int, path string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(d[root], path))
	if os.IsNotExist(err) {
		return nil, ErrMissing
	}
	return text, err
}
