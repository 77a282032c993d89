// Package loader assembles CUE packages from available module roots. For such modules it works like
// cue/load, which can't run inside WebAssembly. It supports no registries and no tags.
package loader

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"qvs/engine/oldlists"
	"qvs/host/source"
)

// Loader loads each package once; all importers share its instance.
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
	entriesOf     map[pathIn][]source.Entry
	rewritten     map[string][]oldlists.Rewrite
	supersededAt  map[oldlists.Site]bool
	gaps          map[string]errors.Error
	// embedded contains, by package, the display names of its embedded files.
	embedded map[string][]string
	// questions contains, by subject, the questions to the tree; imports, by package, its imports:
	// see Asked.
	questions map[any]map[Question]bool
	imports   map[string][]pathIn
	subjects  []any
	asWritten bool
}

// pathIn is the path of a file, directory or import, as seen from a module.
type pathIn struct {
	module *Module
	path   string
}

// New creates a loader for the given modules.
func New(tree source.Tree, modules []*Module) *Loader {
	l := &Loader{
		tree:         tree,
		modules:      modules,
		headers:      map[pathIn]header{},
		texts:        map[pathIn][]byte{},
		places:       map[string]*place{},
		keys:         map[pathIn]string{},
		listings:     map[pathIn][]string{},
		entriesOf:    map[pathIn][]source.Entry{},
		supersededAt: map[oldlists.Site]bool{},
		questions:    map[any]map[Question]bool{},
		imports:      map[string][]pathIn{},
	}
	l.bySpecificity = slices.Clone(modules)
	slices.SortStableFunc(l.bySpecificity, func(a, b *Module) int { return len(b.Path) - len(a.Path) })
	l.forgetInstances()
	return l
}

// KeepAsWritten keeps list arithmetic and all comments, to compare syntax with cue/load.
func (l *Loader) KeepAsWritten() { l.asWritten = true }

func (l *Loader) forgetInstances() {
	l.context = build.NewContext(build.Loader(l.imported))
	l.loaded = map[string]*build.Instance{}
	l.rewritten = map[string][]oldlists.Rewrite{}
	l.gaps = map[string]errors.Error{}
	l.embedded = map[string][]string{}
}

// Load returns the package at an import path. The instance has its errors in Err.
func (l *Loader) Load(importPath string) *build.Instance {
	at, ok := l.find(nil, importPath)
	if !ok {
		return l.failed(importPath, l.notFound(nil, importPath))
	}
	instance := l.instance(at)
	if missing := l.gaps[at.key]; missing != nil {
		return l.failed(importPath, missing)
	}
	return instance
}

// imported is called for every import of a package that is being completed, with the key from
// keyOf.
func (l *Loader) imported(pos token.Pos, key string) *build.Instance {
	if at, ok := l.places[key]; ok {
		return l.instance(at)
	}
	if isStandardLibrary(key) {
		return nil
	}
	return l.failed(key, l.notFound(nil, key))
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
		cycle := append(slices.Clone(l.loading[slices.Index(l.loading, at.key):]), at.key)
		for index, key := range cycle {
			cycle[index] = l.places[key].shortName()
		}
		return l.failed(at.id, errors.Newf(token.NoPos, "packages import each other: %s", strings.Join(cycle, " → ")))
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
	instance := l.context.NewInstance(at.directories[0].dir, nil)
	instance.ImportPath = at.key
	instance.CanonicalID = at.id
	instance.DisplayPath = at.id
	instance.PkgName = at.name
	instance.Module = at.module.Path
	// Without a root, CUE embeds nothing. It reads files through the FSLoc of each file.
	instance.Root = "."
	instance.CanonicalImportPath = func(importPath string) string { return l.keyOf(at.module, importPath) }
	files, err := l.packageFiles(at)
	if err != nil {
		instance.ReportError(err)
		return instance
	}
	for _, file := range files {
		instance.BuildFiles = append(instance.BuildFiles, &build.File{Filename: file.Filename, Encoding: build.CUE})
		// The instance also has the error.
		_ = instance.AddSyntax(file)
	}
	l.gaps[at.key] = errors.Append(l.missingImports(at, files), l.unreadableEmbeds(at, files))
	_ = instance.Complete()
	return instance
}

// missingImports returns an error for each missing import of this package and of its imports: CUE
// itself stops at the first.
func (l *Loader) missingImports(at *place, files []*ast.File) errors.Error {
	var missing errors.Error
	for _, file := range files {
		for spec := range file.ImportSpecs() {
			importPath, err := literal.Unquote(spec.Path.Value)
			if err != nil || isStandardLibrary(importPath) {
				continue
			}
			found, ok := l.locate(at.module, importPath)
			if !ok {
				missing = errors.Append(missing, errors.Wrapf(l.notFound(at.module, importPath), spec.Pos(), "import failed"))
				continue
			}
			l.instance(found)
			missing = errors.Append(missing, l.gaps[found.key])
		}
	}
	return missing
}

// keyOf gives an import path different keys in two modules that vendor different copies of it. CUE
// calls it for every reference to an import, not only for every import.
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

// find calls locate and records its questions.
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
	syntax, parseErr := parser.ParseFile(display, majorsAtEnd(l.readable(file, text)), parser.ParseComments, parser.Version(module.Language))
	if parseErr != nil {
		return nil, errors.Promote(parseErr, "")
	}
	if !l.asWritten {
		if rewrites := oldlists.Modernize(syntax, l.supersededAt); len(rewrites) > 0 {
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

// notFound returns an error that the compile stage parses, to show which module the config needs.
func (l *Loader) notFound(from *Module, importPath string) errors.Error {
	paths := make([]string, 0, len(l.modules))
	for _, module := range l.modules {
		paths = append(paths, module.withMajor())
	}
	return errors.Newf(token.NoPos, "cannot find package %q in %s, nor below cue.mod of one of them%s",
		importPath, strings.Join(paths, ", "), from.wish(importPath))
}

func (m *Module) withMajor() string {
	if m.Major == "v0" {
		return m.Path
	}
	return m.Path + "@" + m.Major
}

// wish returns the module and version from which the importing module expects such a package.
func (m *Module) wish(importPath string) string {
	if m == nil {
		return ""
	}
	parts := parseImportPath(importPath)
	longest := Dep{}
	for _, dep := range m.Deps {
		_, ok := below(dep.Path, parts.Path)
		if ok && len(dep.Path) > len(longest.Path) && (parts.Version == "" || parts.Version == dep.Major) {
			longest = dep
		}
	}
	if longest.Path == "" {
		return ""
	}
	return fmt.Sprintf("; %s depends on %s@%s %s", m.Path, longest.Path, longest.Major, longest.Version)
}
