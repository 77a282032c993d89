package kustomize

import (
	"bytes"
	"io/fs"
	"time"

	"qvs/host/source"
)

// file is an open file.
type file struct {
	*bytes.Reader
	info info
}

func (f *file) Close() error                { return nil }
func (f *file) Stat() (fs.FileInfo, error)  { return f.info, nil }
func (f *file) Write(p []byte) (int, error) { return 0, fs.ErrPermission }

// info describes a file to Kustomize.
type info struct{ entry source.Entry }

func (i info) Name() string       { return i.entry.Name }
func (i info) Size() int64        { return 0 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.entry.IsDir }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.entry.IsDir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
