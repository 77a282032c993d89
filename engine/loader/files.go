package loader

import (
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"qvs/host/source"
)

// packageFiles parses the files of a package, outer directories first, then by name. This order of
// cue/load decides about the order of fields. Of files that belong to another package, it parses
// only the package clause.
func (l *Loader) packageFiles(at *place) ([]*ast.File, errors.Error) {
	var paths []string
	for _, directory := range at.directories {
		found, err := l.pathsUpwards(at, directory)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return nil, l.noFiles(at)
	}
	slices.SortFunc(paths, byDepthThenName)
	files := make([]*ast.File, 0, len(paths))
	for _, file := range paths {
		syntax, err := l.parse(at.module, file)
		if err != nil {
			return nil, err
		}
		l.allowEmbeds(at, file, syntax)
		files = append(files, syntax)
	}
	return files, nil
}

func (l *Loader) pathsUpwards(at *place, in directory) ([]string, errors.Error) {
	var paths []string
	for dir := in.dir; ; dir = path.Dir(dir) {
		found, err := l.pathsIn(at, dir)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
		// A directory without a file of the package isn't the package, even if its ancestors
		// contain such files.
		if dir == in.base || len(paths) == 0 {
			return paths, nil
		}
	}
}

func (l *Loader) pathsIn(at *place, dir string) ([]string, errors.Error) {
	var paths []string
	for _, name := range l.list(at.module, dir) {
		if !isPackageFile(name) {
			continue
		}
		file := path.Join(dir, name)
		header, err := l.header(at.module, file)
		if err != nil {
			return nil, err
		}
		if header.name == at.name && !header.excluded {
			paths = append(paths, file)
		}
	}
	return paths, nil
}

func (l *Loader) list(module *Module, dir string) []string {
	l.note(Question{Root: module.Root, Path: dir, Ask: AskFiles})
	key := pathIn{module, dir}
	names, ok := l.listings[key]
	if !ok {
		names = l.tree.Files(module.Root, dir)
		l.listings[key] = names
	}
	return names
}

func (l *Loader) entries(module *Module, dir string) []source.Entry {
	l.note(Question{Root: module.Root, Path: dir, Ask: AskEntries})
	key := pathIn{module, dir}
	entries, ok := l.entriesOf[key]
	if !ok {
		entries = l.tree.Entries(module.Root, dir)
		l.entriesOf[key] = entries
	}
	return entries
}

func isPackageFile(name string) bool {
	return strings.HasSuffix(name, ".cue") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") &&
		!strings.HasSuffix(name, "_test.cue") && !strings.HasSuffix(name, "_tool.cue")
}

func byDepthThenName(a, b string) int {
	if depth := strings.Count(a, "/") - strings.Count(b, "/"); depth != 0 {
		return depth
	}
	return strings.Compare(a, b)
}

// header contains the facts from the top of a file.
type header struct {
	name     string
	excluded bool
}

func (l *Loader) header(module *Module, file string) (header, errors.Error) {
	l.note(Question{Root: module.Root, Path: file, Ask: AskText})
	if known, ok := l.headers[pathIn{module, file}]; ok {
		return known, nil
	}
	text, err := l.text(module, file)
	if err != nil {
		return header{}, err
	}
	options := []parser.Option{parser.PackageClauseOnly, parser.Version(module.Language)}
	syntax, parseErr := parser.ParseFile(module.Display+file, text, options...)
	if parseErr != nil {
		return header{}, errors.Promote(parseErr, "")
	}
	read := header{name: syntax.PackageName(), excluded: excluded(syntax)}
	l.headers[pathIn{module, file}] = read
	return read, nil
}

func (l *Loader) text(module *Module, file string) ([]byte, errors.Error) {
	text, err := l.read(module, file)
	if err != nil {
		return nil, errors.Newf(token.NoPos, "cannot read %s: %v", module.Display+file, readError(err))
	}
	return text, nil
}

func (l *Loader) read(module *Module, file string) ([]byte, error) {
	l.note(Question{Root: module.Root, Path: file, Ask: AskText})
	if text, ok := l.texts[pathIn{module, file}]; ok {
		return text, nil
	}
	text, err := l.tree.Read(module.Root, file)
	if err == nil {
		l.texts[pathIn{module, file}] = text
	}
	return text, err
}

// noFiles explains an empty package with the existing packages, because a missing `:name` is the
// usual reason.
func (l *Loader) noFiles(at *place) errors.Error {
	var others []string
	unnamed := false
	for _, directory := range at.directories {
		for _, name := range l.list(at.module, directory.dir) {
			if !isPackageFile(name) {
				continue
			}
			header, err := l.header(at.module, path.Join(directory.dir, name))
			unnamed = unnamed || err == nil && header.name == ""
			if err == nil && header.name != "" && !slices.Contains(others, header.name) {
				others = append(others, header.name)
			}
		}
	}
	where := at.module.Display + at.directories[0].dir
	if len(others) == 0 && unnamed {
		return errors.Newf(token.NoPos, "cannot find package %q in %s, whose files have no package clause", at.name, where)
	}
	if len(others) == 0 {
		return errors.Newf(token.NoPos, "cannot find package %q in %s", at.name, where)
	}
	return errors.Newf(token.NoPos, "cannot find package %q in %s, which contains %s", at.name, where, strings.Join(others, ", "))
}
