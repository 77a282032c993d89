package loader

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Listing is a module with its adapters.
type Listing struct {
	// Root is the module's number in the Tree.
	Root     int       `json:"root"`
	Module   string    `json:"module"`
	Adapters []Adapter `json:"adapters"`
}

// Adapter is a package whose text contains the word DesignPattern.
type Adapter struct {
	// Pattern is its import path, with the package's name if that isn't the last element.
	Pattern   string `json:"pattern"`
	Directory string `json:"folder"`
}

// Adapters lists the packages of all modules whose text contains the word DesignPattern. Only
// loading shows whether it is a field of the package. Packages below cue.mod are vendored from
// other modules and aren't listed.
func (l *Loader) Adapters(directories [][]string) []Listing {
	listings := []Listing{}
	for _, module := range l.modules {
		listing := Listing{Root: module.Root, Module: module.Path, Adapters: []Adapter{}}
		if module.Root < len(directories) {
			for _, dir := range ownDirectories(directories[module.Root]) {
				listing.Adapters = append(listing.Adapters, l.adaptersIn(module, dir)...)
			}
		}
		listings = append(listings, listing)
	}
	return listings
}

// ownDirectories leaves out other modules within this one, and directories that `cue` itself
// ignores.
func ownDirectories(directories []string) []string {
	var others []string
	for _, dir := range directories {
		if path.Base(dir) == "cue.mod" && path.Dir(dir) != "." {
			others = append(others, path.Dir(dir)+"/")
		}
	}
	return slices.DeleteFunc(slices.Sorted(slices.Values(directories)), func(dir string) bool {
		isOther := slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(dir+"/", other) })
		return isOther || slices.ContainsFunc(strings.Split(dir, "/"), isSkipped)
	})
}

func isSkipped(name string) bool {
	return name == "cue.mod" || strings.HasPrefix(name, "_") || name != "." && strings.HasPrefix(name, ".")
}

func (l *Loader) adaptersIn(module *Module, dir string) []Adapter {
	importPath := path.Join(module.Path, dir)
	adapters := []Adapter{}
	for _, name := range l.packagesIn(module, dir) {
		at := &place{name: name, module: module, directories: []directory{{base: ".", dir: dir}}}
		if !l.mentionsPattern(at) {
			continue
		}
		pattern := importPath
		if path.Base(importPath) != name {
			pattern += ":" + name
		}
		adapters = append(adapters, Adapter{Pattern: pattern, Directory: dir})
	}
	return adapters
}

func (l *Loader) packagesIn(module *Module, dir string) []string {
	var names []string
	for _, file := range l.list(module, dir) {
		if !isPackageFile(file) {
			continue
		}
		header, err := l.header(module, path.Join(dir, file))
		name := header.name
		if err != nil {
			name = path.Base(path.Join(module.Path, dir))
		}
		if name != "" && !header.excluded && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (l *Loader) mentionsPattern(at *place) bool {
	paths, err := l.pathsUpwards(at, at.directories[0])
	// An unreadable package is listed: loading it reports the reason.
	return err != nil || slices.ContainsFunc(paths, func(file string) bool {
		text, err := l.text(at.module, file)
		return err != nil || bytes.Contains(text, []byte("DesignPattern"))
	})
}
