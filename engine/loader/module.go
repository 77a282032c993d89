package loader

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"qvs/engine/source"
)

// moduleFile is where a module says what it is called.
const moduleFile = "cue.mod/module.cue"

// versionBeforeModules is the language of modules that declare none: the last one before the declaration became
// mandatory. cue/load chooses the same.
const versionBeforeModules = "v0.9.0"

// Module is one root of CUE files.
type Module struct {
	// Root is its number in the Tree.
	Root int
	// Path is the module path without a major version.
	Path string
	// Major is the major version that its path carries, v0 where it carries none.
	Major string
	// Display is put before paths in messages.
	Display string
	// Language is the CUE version that its files are written in.
	Language string
	// HasFile tells whether cue.mod/module.cue was read.
	HasFile bool
	// Deps are the modules that it says it depends on.
	Deps []Dep
}

// Dep is one entry of deps. Nothing is fetched for it: it says which of the modules at hand an import means.
type Dep struct {
	// Path is without its major version.
	Path    string
	Major   string
	Version string
	// Default marks the one that imports without a major version mean.
	Default bool
}

// ReadModule reads cue.mod/module.cue. A path that is given overrides the one in the file.
func ReadModule(tree source.Tree, root int, path, display string) (*Module, errors.Error) {
	module := &Module{Root: root, Path: path, Major: "v0", Display: display, Language: versionBeforeModules}
	text, err := tree.Read(root, moduleFile)
	if err != nil {
		if path == "" {
			return nil, errors.Newf(token.NoPos, "%s%s: %v", display, moduleFile, err)
		}
		return module, nil
	}
	file, err := parser.ParseFile(display+moduleFile, text)
	if err != nil {
		return nil, errors.Promote(err, "")
	}
	module.HasFile = true
	if version := textAt(file.Decls, "language", "version"); version != "" {
		module.Language = version
	}
	if module.Path == "" {
		module.Path = textAt(file.Decls, "module")
	}
	if module.Path == "" {
		return nil, errors.Newf(file.Pos(), "the module has no path: add `module: \"example.com/name\"`")
	}
	module.Path, module.Major = splitMajor(module.Path)
	module.Deps = depsIn(file.Decls)
	return module, nil
}

// splitMajor parts a module path from its major version, which is v0 where it carries none.
func splitMajor(modulePath string) (path, major string) {
	if path, major, ok := strings.Cut(modulePath, "@"); ok {
		return path, major
	}
	return modulePath, "v0"
}

func depsIn(decls []ast.Decl) []Dep {
	var deps []Dep
	for _, decl := range fieldsAt(decls, "deps") {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(field.Label)
		fields, isStruct := field.Value.(*ast.StructLit)
		if err != nil || !isStruct {
			continue
		}
		dep := Dep{Version: textAt(fields.Elts, "v"), Default: isTrue(fields.Elts, "default")}
		dep.Path, dep.Major = splitMajor(name)
		deps = append(deps, dep)
	}
	return deps
}

// fieldsAt collects what all structs of one name hold: the same field may be written several times.
func fieldsAt(decls []ast.Decl, name string) []ast.Decl {
	var found []ast.Decl
	for _, decl := range decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		label, _, err := ast.LabelName(field.Label)
		if fields, ok := field.Value.(*ast.StructLit); ok && err == nil && label == name {
			found = append(found, fields.Elts...)
		}
	}
	return found
}

func isTrue(decls []ast.Decl, name string) bool {
	for _, decl := range decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		label, _, err := ast.LabelName(field.Label)
		if value, ok := field.Value.(*ast.BasicLit); ok && err == nil && label == name {
			return value.Kind == token.TRUE
		}
	}
	return false
}

// textAt finds a string literal by its field names. Module files are plain data, so nothing has to be evaluated.
func textAt(decls []ast.Decl, path ...string) string {
	for _, decl := range decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		if name, _, err := ast.LabelName(field.Label); err != nil || name != path[0] {
			continue
		}
		switch value := field.Value.(type) {
		case *ast.BasicLit:
			if text, err := literal.Unquote(value.Value); err == nil && len(path) == 1 {
				return text
			}
		case *ast.StructLit:
			if len(path) > 1 {
				if text := textAt(value.Elts, path[1:]...); text != "" {
					return text
				}
			}
		}
	}
	return ""
}
