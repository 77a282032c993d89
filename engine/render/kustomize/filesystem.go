package kustomize

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"qvs/host/source"
)

// hostFiles is a read-only file system for Kustomize that asks the host. Kustomize needs absolute
// paths: the first name of a path stands for the root. Messages never show it.
type hostFiles struct {
	tree    source.Tree
	bases   *bases
	loading *loading
}

// loading follows Kustomize while it loads the kustomization of a directory: it looks up the
// directory, and then each possible name. It reads every other kustomization as data.
type loading struct {
	directory string
	// names are those that Kustomize looks up next.
	names []string
	// file is the path that Kustomize reads next.
	file string
}

func (l *loading) enter(directory string) {
	*l = loading{directory: directory, names: konfig.RecognizedKustomizationFileNames()}
}

// lookUp returns true if Kustomize looks up a path as a kustomization.
func (l *loading) lookUp(name string) bool {
	if len(l.names) == 0 || name != path.Join(l.directory, l.names[0]) {
		*l = loading{}
		return false
	}
	l.names, l.file = l.names[1:], name
	return true
}

// read returns true if Kustomize reads a file as a kustomization.
func (l *loading) read(name string) bool {
	isNext := l.file != "" && name == l.file
	l.file = ""
	return isNext
}

func clean(name string) string {
	return path.Clean("/" + filepath.ToSlash(name))
}

func (h hostFiles) locate(name string) (place, bool) {
	return h.bases.locate(clean(name))
}

// errOutside is the error of a path outside of all roots.
var errOutside = errors.New("the path leads outside the repository")

// missing returns the error of a file that doesn't exist, with its path below the root.
func (h hostFiles) missing(name string) error {
	at, ok := h.locate(name)
	if !ok {
		return &fs.PathError{Op: "open", Path: path.Base(name), Err: errOutside}
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
	if h.loading.read(clean(name)) {
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
	name = clean(name)
	found, ok := h.entry(name)
	isKustomization := h.loading.lookUp(name)
	switch {
	case !ok:
		return "", "", h.missing(name)
	case found.IsDir:
		if !isKustomization {
			h.loading.enter(name)
		}
		return filesys.ConfirmedDir(name), "", nil
	default:
		return filesys.ConfirmedDir(path.Dir(name)), path.Base(name), nil
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
	err := h.Walk(h.bases.absolute(at.root, "."), func(name string, info os.FileInfo, err error) error {
		if matched, err := path.Match(h.bases.absolute(at.root, at.path), name); err != nil || !matched {
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
