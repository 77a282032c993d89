package loader

import (
	"path"

	"cuelang.org/go/cue/build"
)

// Stray is a file in the directory of a loaded package that isn't part of the package.
type Stray struct {
	File string `json:"file"`
	// Package is the name in its package clause; empty without a package clause.
	Package string `json:"package,omitempty"`
	// Loaded is the name of the loaded package, and Beside one of its files in the directory.
	Loaded string `json:"loaded"`
	Beside string `json:"beside"`
}

// Strays lists the strays of some packages and of everything that they import. A directory can
// contain several packages. A stray is a file without a package clause. If the loaded package has
// the name of the directory, a file of another package that isn't loaded is a stray, too.
func (l *Loader) Strays(instances ...*build.Instance) []Stray {
	var strays []Stray
	seen := map[string]bool{}
	for _, instance := range withImports(instances) {
		at, ok := l.places[instance.ImportPath]
		if !ok || seen[at.key] || at.directories[0].base != "." {
			continue
		}
		seen[at.key] = true
		strays = append(strays, l.straysOf(at)...)
	}
	return strays
}

func (l *Loader) straysOf(at *place) []Stray {
	var strays []Stray
	beside := ""
	dir := at.directories[0].dir
	for _, name := range l.list(at.module, dir) {
		file := path.Join(dir, name)
		if !isPackageFile(name) {
			continue
		}
		header, err := l.header(at.module, file)
		switch {
		case err != nil || header.excluded:
		case header.name == at.name:
			if beside == "" {
				beside = at.module.Display + file
			}
		case l.isOwnPackage(at, dir, header.name):
		default:
			strays = append(strays, Stray{File: at.module.Display + file, Package: header.name, Loaded: at.name})
		}
	}
	for index := range strays {
		strays[index].Beside = beside
	}
	return strays
}

// isOwnPackage reports whether a file belongs to another package that can be used itself.
func (l *Loader) isOwnPackage(at *place, dir, name string) bool {
	if name == "" {
		return false
	}
	if at.name != path.Base(dir) {
		return true
	}
	for _, other := range l.places {
		if other.module == at.module && other.name == name && other.directories[0].dir == dir {
			return true
		}
	}
	return false
}
