package loader

import (
	"path"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/inject/embed"
	"cuelang.org/go/cue/token"

	"qvs/host/source"
)

// allowEmbeds allows the @embed attributes of a file to read the files of its module, on behalf of
// a package.
func (l *Loader) allowEmbeds(at *place, file string, syntax *ast.File) {
	loc := token.FSLoc{FS: moduleFiles{loader: l, at: at, dir: "."}, Path: file}
	syntax.Pos().File().SetFSLoc(loc)
}

// unreadableEmbeds returns an error for each unreadable file that a package would embed. CUE itself
// stops at the first, and reports each as missing. CUE reports the other mistakes in attributes.
func (l *Loader) unreadableEmbeds(at *place, files []*ast.File) errors.Error {
	var unreadable errors.Error
	for _, syntax := range files {
		loc := syntax.Pos().File().FSLoc()
		embeds, _ := embed.EmbeddedPaths(loc.Path, syntax)
		for _, each := range embeds {
			for _, file := range embeddedPaths(each, loc) {
				unreadable = errors.Append(unreadable, l.readEmbedded(at, each, file))
			}
		}
	}
	return unreadable
}

// embeddedPaths returns paths relative to the module. A glob matches only existing files and
// directories.
func embeddedPaths(each *embed.Embed, loc token.FSLoc) []string {
	if name, _, _ := each.Attribute.Lookup(0, "file"); name != "" {
		return []string{path.Join(path.Dir(loc.Path), name)}
	}
	matches, _ := each.FindAll(loc.FS)
	return matches
}

func (l *Loader) readEmbedded(at *place, each *embed.Embed, file string) errors.Error {
	display := at.module.Display + file
	fail := func(why string) errors.Error {
		name, _, _ := each.Attribute.Lookup(0, "file")
		if name == "" {
			name, _, _ = each.Attribute.Lookup(0, "glob")
		}
		return errors.Newf(each.Attribute.Pos, "cannot embed %q: %s %s", name, display, why)
	}
	entry, ok := l.entry(at, file)
	switch {
	case !ok:
		return fail("does not exist")
	case entry.IsDir && each.IsGlob():
		return nil
	case entry.IsDir:
		return fail("is a directory")
	}
	_, err := l.readFor(at, file)
	switch err {
	case nil:
		l.embedded[at.key] = append(l.embedded[at.key], display)
		return nil
	case source.ErrMissing:
		return fail("is not a regular file that can be read")
	case source.ErrOutside:
		return fail("leads outside of its module")
	}
	return fail("is too large to embed")
}

// entry finds a file or directory of a module by its path. Everything except a root has a parent
// directory.
func (l *Loader) entry(at *place, file string) (found source.Entry, ok bool) {
	if file == "." {
		return source.Entry{Name: ".", IsDir: true}, true
	}
	for _, entry := range l.entriesFor(at, path.Dir(file)) {
		if entry.Name == path.Base(file) {
			return entry, true
		}
	}
	return source.Entry{}, false
}

func (l *Loader) entriesFor(at *place, dir string) (entries []source.Entry) {
	l.noting(at.key, func() { entries = l.entries(at.module, dir) })
	return entries
}

func (l *Loader) readFor(at *place, file string) (text []byte, err error) {
	l.noting(at.key, func() { text, err = l.read(at.module, file) })
	return text, err
}
