package kustomize

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"qvs/host/source"
)

// root is the root of the tree as an absolute path, which Kustomize needs. Messages never show it.
const root = "/"

// hostFiles is a read-only file system for Kustomize that asks the host.
type hostFiles struct{ tree source.Tree }

func relative(name string) string {
	clean := strings.TrimPrefix(path.Clean(root+filepath.ToSlash(name)), root)
	if clean == "" {
		return "."
	}
	return clean
}

func (h hostFiles) ReadFile(name string) ([]byte, error) {
	text, err := h.tree.Read(0, relative(name))
	if err == source.ErrMissing {
		return nil, &fs.PathError{Op: "open", Path: relative(name), Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: relative(name), Err: err}
	}
	return text, nil
}

// entry returns the entry of a path in its directory.
func (h hostFiles) entry(name string) (source.Entry, bool) {
	clean := relative(name)
	if clean == "." {
		return source.Entry{Name: ".", IsDir: true}, true
	}
	entries := h.tree.Entries(0, path.Dir(clean))
	at := slices.IndexFunc(entries, func(e source.Entry) bool { return e.Name == path.Base(clean) })
	if at < 0 {
		return source.Entry{}, false
	}
	return entries[at], true
}

func (h hostFiles) Exists(name string) bool {
	_, found := h.entry(name)
	return found
}

func (h hostFiles) IsDir(name string) bool {
	found, ok := h.entry(name)
	return ok && found.IsDir
}

func (h hostFiles) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	clean := relative(name)
	absolute := path.Join(root, clean)
	found, ok := h.entry(clean)
	switch {
	case !ok:
		return "", "", &fs.PathError{Op: "open", Path: clean, Err: fs.ErrNotExist}
	case found.IsDir:
		return filesys.ConfirmedDir(absolute), "", nil
	default:
		return filesys.ConfirmedDir(path.Dir(absolute)), path.Base(absolute), nil
	}
}

func (h hostFiles) ReadDir(name string) ([]string, error) {
	var names []string
	for _, each := range h.tree.Entries(0, relative(name)) {
		names = append(names, each.Name)
	}
	return names, nil
}

func (h hostFiles) Glob(pattern string) ([]string, error) {
	var found []string
	err := h.Walk(root, func(name string, info os.FileInfo, err error) error {
		if matched, err := path.Match(path.Join(root, relative(pattern)), name); err != nil || !matched {
			return err
		}
		found = append(found, name)
		return nil
	})
	return found, err
}

func (h hostFiles) Walk(name string, visit filepath.WalkFunc) error {
	found, ok := h.entry(name)
	if !ok {
		return visit(name, nil, fs.ErrNotExist)
	}
	if err := visit(name, info{found}, nil); err != nil || !found.IsDir {
		return err
	}
	for _, each := range h.tree.Entries(0, relative(name)) {
		if err := h.Walk(path.Join(name, each.Name), visit); err != nil {
			return err
		}
	}
	return nil
}

func (h hostFiles) Open(name string) (filesys.File, error) {
	text, err := h.ReadFile(name)
	if err != nil {
		return nil, err
	}
	found, _ := h.entry(name)
	return &file{bytes.NewReader(text), info{found}}, nil
}

func readOnly(operation, name string) error {
	return &fs.PathError{Op: operation, Path: relative(name), Err: fs.ErrPermission}
}

func (hostFiles) Create(name string) (filesys.File, error) { return nil, readOnly("create", name) }
func (hostFiles) Mkdir(name string) error                  { return readOnly("mkdir", name) }
func (hostFiles) MkdirAll(name string) error               { return readOnly("mkdir", name) }
func (hostFiles) RemoveAll(name string) error              { return readOnly("remove", name) }
func (hostFiles) WriteFile(name string, _ []byte) error    { return readOnly("write", name) }
