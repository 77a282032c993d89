package kustomize

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"qvs/host/source"
)

// hostFiles is a read-only file system for Kustomize that asks the host. Kustomize needs absolute
// paths: the first name of a path is the number of the root. Messages never show it.
type hostFiles struct {
	tree  source.Tree
	bases *bases
}

// dots stands for two dots in the name of a directory. Kustomize rejects such a name in a path, but
// not in an address.
const dots = "\x01"

// absolute returns the path of a file of a root for Kustomize.
func absolute(root int, name string) string {
	return path.Join("/", strconv.Itoa(root), name)
}

// locate returns the file at a path of Kustomize. It returns false for a path outside of all roots.
func (h hostFiles) locate(name string) (place, bool) {
	number, below, _ := strings.Cut(path.Clean("/" + filepath.ToSlash(name))[1:], "/")
	root, err := strconv.Atoi(number)
	if err != nil || strconv.Itoa(root) != number || root < 0 || root > len(h.bases.addresses) {
		return place{}, false
	}
	below = path.Clean(strings.ReplaceAll(below, dots, ".."))
	if below == ".." || strings.HasPrefix(below, "../") {
		return place{}, false
	}
	return place{root, below}, true
}

// missing returns the error of a file that doesn't exist, with its path below the root.
func (h hostFiles) missing(name string) error {
	at, ok := h.locate(name)
	if !ok {
		at.path = path.Base(name)
	}
	return &fs.PathError{Op: "open", Path: at.path, Err: fs.ErrNotExist}
}

func (h hostFiles) ReadFile(name string) ([]byte, error) {
	at, ok := h.locate(name)
	if !ok {
		return nil, h.missing(name)
	}
	text, err := h.tree.Read(at.root, at.path)
	if err == source.ErrMissing {
		return nil, h.missing(name)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: at.path, Err: err}
	}
	if isKustomization(at.path) {
		return h.bases.link(at, text), nil
	}
	return text, nil
}

// entry returns the entry of a path in its directory.
func (h hostFiles) entry(name string) (source.Entry, bool) {
	at, ok := h.locate(name)
	if !ok {
		return source.Entry{}, false
	}
	if at.path == "." {
		return source.Entry{Name: ".", IsDir: true}, true
	}
	entries := h.tree.Entries(at.root, path.Dir(at.path))
	base := path.Base(at.path)
	index := slices.IndexFunc(entries, func(e source.Entry) bool { return e.Name == base })
	if index < 0 {
		return source.Entry{}, false
	}
	return entries[index], true
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
	clean := path.Clean("/" + filepath.ToSlash(name))
	found, ok := h.entry(clean)
	switch {
	case !ok:
		return "", "", h.missing(clean)
	case found.IsDir:
		return filesys.ConfirmedDir(clean), "", nil
	default:
		return filesys.ConfirmedDir(path.Dir(clean)), path.Base(clean), nil
	}
}

func (h hostFiles) ReadDir(name string) ([]string, error) {
	var names []string
	for _, each := range h.entries(name) {
		names = append(names, each.Name)
	}
	return names, nil
}

func (h hostFiles) entries(name string) []source.Entry {
	at, ok := h.locate(name)
	if !ok {
		return nil
	}
	return h.tree.Entries(at.root, at.path)
}

func (h hostFiles) Glob(pattern string) ([]string, error) {
	var found []string
	at, ok := h.locate(pattern)
	if !ok {
		return nil, nil
	}
	err := h.Walk(absolute(at.root, "."), func(name string, info os.FileInfo, err error) error {
		if matched, err := path.Match(absolute(at.root, at.path), name); err != nil || !matched {
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
	for _, each := range h.entries(name) {
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
	return &fs.PathError{Op: operation, Path: path.Base(name), Err: fs.ErrPermission}
}

func (hostFiles) Create(name string) (filesys.File, error) { return nil, readOnly("create", name) }
func (hostFiles) Mkdir(name string) error                  { return readOnly("mkdir", name) }
func (hostFiles) MkdirAll(name string) error               { return readOnly("mkdir", name) }
func (hostFiles) RemoveAll(name string) error              { return readOnly("remove", name) }
func (hostFiles) WriteFile(name string, _ []byte) error    { return readOnly("write", name) }
