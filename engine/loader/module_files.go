package loader

import (
	"bytes"
	"io/fs"
	"path"
	"time"

	"qvs/host/source"
)

// moduleFiles is a directory of a module, from which CUE reads embedded files. Its questions count
// as questions of a package.
type moduleFiles struct {
	loader *Loader
	at     *place
	dir    string
}

var (
	_ fs.SubFS     = moduleFiles{}
	_ fs.StatFS    = moduleFiles{}
	_ fs.ReadDirFS = moduleFiles{}
)

func (m moduleFiles) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, invalid("sub", dir)
	}
	return moduleFiles{loader: m.loader, at: m.at, dir: path.Join(m.dir, dir)}, nil
}

// Stat reads no content, so it doesn't know the size.
func (m moduleFiles) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, invalid("stat", name)
	}
	entry, ok := m.loader.entry(m.at, path.Join(m.dir, name))
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{entry, 0}, nil
}

func (m moduleFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, invalid("readdir", name)
	}
	var entries []fs.DirEntry
	for _, entry := range m.loader.entriesFor(m.at, path.Join(m.dir, name)) {
		entries = append(entries, fs.FileInfoToDirEntry(info{entry, 0}))
	}
	return entries, nil
}

func (m moduleFiles) Open(name string) (fs.File, error) {
	found, err := m.Stat(name)
	if err != nil {
		return nil, err
	}
	if found.IsDir() {
		return openFile{info: found, Reader: bytes.NewReader(nil)}, nil
	}
	text, err := m.loader.readFor(m.at, path.Join(m.dir, name))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	entry := source.Entry{Name: path.Base(name)}
	return openFile{info: info{entry, len(text)}, Reader: bytes.NewReader(text)}, nil
}

func invalid(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid} }

type openFile struct {
	info fs.FileInfo
	*bytes.Reader
}

func (f openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f openFile) Close() error               { return nil }

type info struct {
	entry source.Entry
	size  int
}

func (i info) Name() string { return i.entry.Name }
func (i info) Size() int64  { return int64(i.size) }
func (i info) IsDir() bool  { return i.entry.IsDir }
func (i info) Mode() fs.FileMode {
	if i.entry.IsDir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) Sys() any           { return nil }
