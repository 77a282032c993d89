// Package loader assembles CUE packages from module roots that are already at hand. It does what cue/load does for
// such modules (cue/load itself cannot run inside WebAssembly), and nothing about registries, tags or data files.
package loader

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"qvs/engine/oldlists"
	"qvs/engine/source"
)

// Loader loads each package once; instances are shared between all that import it.
type Loader struct {
	tree          source.Tree
	modules       []*Module
	bySpecificity []*Module
	context       *build.Context
	places        map[string]*place
	loaded        map[string]*build.Instance
	loading       []string
	headers       map[pathIn]header
	texts         map[pathIn][]byte
	keys          map[pathIn]string
	listings      map[pathIn][]string
	rewritten     map[string][]oldlists.Rewrite
	supersededAt  map[oldlists.Site]bool
	// asked holds by subject what the tree was asked for, sought by package what it imports: see Asked.
	asked     map[any]map[Question]bool
	sought    map[string][]pathIn
	subjects  []any
	asWritten bool
}

// pathIn is a file, folder or import path as one module means it.
type pathIn struct {
	module *Module
	path   string
}

// New makes a loader over the given modules.
func New(tree source.Tree, modules []*Module) *Loader {
	l := &Loader{
		tree:         tree,
		modules:      modules,
		headers:      map[pathIn]header{},
		texts:        map[pathIn][]byte{},
		places:       map[string]*place{},
		keys:         map[pathIn]string{},
		listings:     map[pathIn][]string{},
		supersededAt: map[oldlists.Site]bool{},
		asked:        map[any]map[Question]bool{},
		sought:       map[string][]pathIn{},
	}
	l.bySpecificity = slices.Clone(modules)
	slices.SortStableFunc(l.bySpecificity, func(a, b *Module) int { return len(b.Path) - len(a.Path) })
	l.forgetInstances()
	return l
}

// KeepAsWritten leaves list arithmetic and all comments in place, for comparing syntax with cue/load.
func (l *Loader) KeepAsWritten() { l.asWritten = true }

func (l *Loader) forgetInstances() {
	l.context = build.NewContext(build.Loader(l.imported))
	l.loaded = map[string]*build.Instance{}
	l.rewritten = map[string][]oldlists.Rewrite{}
}

// Load returns the package at an import path. Its errors are in Err of the instance.
func (l *Loader) Load(importPath string) *build.Instance {
	at, ok := l.find(nil, importPath)
	if !ok {
		return l.failed(importPath, l.notFound(importPath))
	}
	return l.instance(at)
}

// imported is called for every import of a package that is being completed, with the key from keyOf.
func (l *Loader) imported(pos token.Pos, key string) *build.Instance {
	if at, ok := l.places[key]; ok {
		return l.instance(at)
	}
	if isStandardLibrary(key) {
		return nil
	}
	return l.failed(key, l.notFound(key))
}

func isStandardLibrary(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

func (l *Loader) instance(at *place) *build.Instance {
	if known, ok := l.loaded[at.key]; ok {
		return known
	}
	if slices.Contains(l.loading, at.key) {
		cycle := strings.Join(append(l.loading, at.key), " → ")
		return l.failed(at.id, errors.Newf(token.NoPos, "packages import each other: %s", cycle))
	}
	l.places[at.key] = at
	l.loading = append(l.loading, at.key)
	var instance *build.Instance
	l.noting(at.key, func() { instance = l.assemble(at) })
	l.loading = l.loading[:len(l.loading)-1]
	l.loaded[at.key] = instance
	return instance
}

func (l *Loader) assemble(at *place) *build.Instance {
	instance := l.context.NewInstance(at.folders[0].dir, nil)
	instance.ImportPath = at.key
	instance.CanonicalID = at.id
	instance.DisplayPath = at.id
	instance.PkgName = at.name
	instance.Module = at.module.Path
	instance.CanonicalImportPath = func(importPath string) string { return l.keyOf(at.module, importPath) }
	files, err := l.packageFiles(at)
	if err != nil {
		instance.ReportError(err)
		return instance
	}
	for _, file := range files {
		instance.BuildFiles = append(instance.BuildFiles, &build.File{Filename: file.Filename, Encoding: build.CUE})
		// The error is kept in the instance as well.
		_ = instance.AddSyntax(file)
	}
	_ = instance.Complete()
	return instance
}

// keyOf makes one import path mean different packages in two modules that vendor different copies of it. CUE asks for
// every reference to an import, not only for every import.
func (l *Loader) keyOf(from *Module, importPath string) string {
	if isStandardLibrary(importPath) {
		return importPath
	}
	l.seek(pathIn{from, importPath})
	key, ok := l.keys[pathIn{from, importPath}]
	if !ok {
		key = importPath
		if at, found := l.find(from, importPath); found {
			l.places[at.key] = at
			key = at.key
		}
		l.keys[pathIn{from, importPath}] = key
	}
	return key
}

// find is locate, with a note of what it asks for.
func (l *Loader) find(from *Module, importPath string) (at *place, ok bool) {
	l.noting(finding{pathIn{from, importPath}}, func() { at, ok = l.locate(from, importPath) })
	return at, ok
}

func (l *Loader) parse(module *Module, file string) (*ast.File, errors.Error) {
	text, err := l.text(module, file)
	if err != nil {
		return nil, err
	}
	display := module.Display + file
	syntax, parseErr := parser.ParseFile(display, l.readable(file, text), parser.ParseComments, parser.Version(module.Language))
	if parseErr != nil {
		return nil, errors.Promote(parseErr, "")
	}
	if !l.asWritten {
		if rewrites := oldlists.Modernise(syntax, l.supersededAt); len(rewrites) > 0 {
			l.rewritten[display] = rewrites
		}
	}
	return syntax, nil
}

func (l *Loader) failed(importPath string, err errors.Error) *build.Instance {
	instance := l.context.NewInstance("", nil)
	instance.ImportPath = importPath
	instance.ReportError(err)
	return instance
}

func (l *Loader) notFound(importPath string) errors.Error {
	paths := make([]string, 0, len(l.modules))
	for _, module := range l.modules {
		paths = append(paths, module.Path)
	}
	return errors.Newf(token.NoPos, "cannot find package %q in %s, nor below cue.mod of one of them",
		importPath, strings.Join(paths, ", "))
}
