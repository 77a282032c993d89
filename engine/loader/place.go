package loader

import (
	"path"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
)

// place contains the directories of one package.
type place struct {
	// key distinguishes packages, including two copies of one package that two modules vendor.
	key string
	// id scopes the hidden fields of the package. It has the form of cue/load.
	id          string
	name        string
	module      *Module
	directories []directory
}

// directory contains files of a package. Files of the same package in its ancestors, up
// to and including base, belong to the package as well.
type directory struct {
	base string
	dir  string
}

// vendored lists the directories below cue.mod whose packages are merged, like `cue` does.
var vendored = []string{"cue.mod/gen", "cue.mod/pkg", "cue.mod/usr"}

// locate finds the package for `importPath` in files of `from`. It searches the module with the
// longest matching path and the wanted major version, then the packages that the importing module
// vendors, then those of all other modules. `from` is nil for the first package.
func (l *Loader) locate(from *Module, importPath string) (*place, bool) {
	parts := parseImportPath(importPath)
	for _, module := range l.bySpecificity {
		rest, ok := below(module.Path, parts.Path)
		if !ok || !isWanted(module, from, parts) || !l.hasCue(module, rest) {
			continue
		}
		parts.Version = module.Major
		return newPlace(module, parts, l.copyOf(module), directory{base: ".", dir: rest}), true
	}
	for _, module := range l.vendoringOrder(from) {
		var directories []directory
		for _, base := range vendored {
			if dir := path.Join(base, parts.Path); l.hasCue(module, dir) {
				directories = append(directories, directory{base: base, dir: dir})
			}
		}
		if len(directories) > 0 {
			return newPlace(module, parts, "@vendored."+strconv.Itoa(module.Root), directories...), true
		}
	}
	return nil, false
}

// isWanted compares the major version with the wanted one, if the import or the importing module
// selects one. A module refers to itself by its own path.
func isWanted(module, from *Module, parts ast.ImportPath) bool {
	if parts.Version != "" {
		major, _, _ := strings.Cut(parts.Version, ".")
		return major == module.Major
	}
	if from == nil {
		return true
	}
	if from.Path == module.Path {
		return from == module
	}
	wanted := from.dependency(module.Path)
	return wanted == nil || wanted.Major == module.Major
}

// dependency returns the declared dependency on another module, nil if there is none or several
// without a default.
func (m *Module) dependency(path string) *Dep {
	var found []*Dep
	for i := range m.Deps {
		if m.Deps[i].Path == path {
			found = append(found, &m.Deps[i])
		}
	}
	for _, dep := range found {
		if dep.Default || len(found) == 1 {
			return dep
		}
	}
	return nil
}

// copyOf returns a suffix that distinguishes the packages of two modules with equal paths and
// different major versions.
func (l *Loader) copyOf(module *Module) string {
	for _, other := range l.modules {
		if other != module && other.Path == module.Path {
			return "@" + module.Major + "." + strconv.Itoa(module.Root)
		}
	}
	return ""
}

func below(module, importPath string) (string, bool) {
	if module == importPath {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func (l *Loader) vendoringOrder(from *Module) []*Module {
	if from == nil {
		return l.modules
	}
	order := []*Module{from}
	for _, module := range l.modules {
		if module != from {
			order = append(order, module)
		}
	}
	return order
}

func (l *Loader) hasCue(module *Module, dir string) bool {
	for _, name := range l.list(module, dir) {
		if strings.HasSuffix(name, ".cue") {
			return true
		}
	}
	return false
}

func newPlace(module *Module, parts ast.ImportPath, copy string, directories ...directory) *place {
	return &place{
		key:         parts.Path + copy + ":" + parts.Qualifier,
		id:          parts.Canonical().String(),
		name:        parts.Qualifier,
		module:      module,
		directories: directories,
	}
}

// shortName returns the name of the package in imports.
func (p *place) shortName() string {
	importPath := p.key[:strings.LastIndex(p.key, ":")]
	if importPath == p.name || strings.HasSuffix(importPath, "/"+p.name) {
		return importPath
	}
	return p.key
}
