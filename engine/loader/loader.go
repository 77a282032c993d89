// Package loader assembles CUE packages from module roots that are already at hand. It does what cue/load does for
// such modules (cue/load itself cannot run inside WebAssembly), and nothing about registries and tags.
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
	folders       map[pathIn][]source.Entry
	rewritten     map[string][]oldlists.Rewrite
	supersededAt  map[oldlists.Site]bool
	gaps          map[string]errors.Error
	// embedded holds by package the files that it embeds, as they are displayed.
	embedded map[string][]string
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
		folders:      map[pathIn][]source.Entry{},
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
	l.gaps = map[string]errors.Error{}
	l.embedded = map[string][]string{}
}

// Load returns the package at an import path. Its errors are in Err of the instance.
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

// imported is called for every import of a package that is being completed, with the key from keyOf.
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
	instance := l.context.NewInstance(at.folders[0].dir, nil)
	instance.ImportPath = at.key
	instance.CanonicalID = at.id
	instance.DisplayPath = at.id
	instance.PkgName = at.name
	instance.Module = at.module.Path
	// CUE embeds nothing where there is no root; it reads by the FSLoc of each file.
	instance.Root = "."
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
	l.gaps[at.key] = errors.Append(l.missingImports(at, files), l.unreadableEmbeds(at, files))
	_ = instance.Complete()
	return instance
}

// missingImports finds what this package, and all that it imports, cannot import: CUE itself gives up at the first.
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
	syntax, parseErr := parser.ParseFile(display, majorsAtEnd(l.readable(file, text)), parser.ParseComments, parser.Version(module.Language))
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

// notFound is read by the compile stage, which tells the user what to add to the config.
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

// wish is which module, and which version of it, the importing one would have such a package from.
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
