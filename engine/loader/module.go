package loader

import (
	"regexp"
	"strconv"
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

// newestLanguage is the version of CUE in go.mod, of which the patch changes no rule of the language.
const newestLanguage = "v0.17.0"

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
	if version := literalAt(file.Decls, "language", "version"); version != nil {
		if err := checkLanguage(version); err != nil {
			return nil, err
		}
		module.Language = unquoted(version)
	}
	if module.Path == "" {
		module.Path = unquoted(literalAt(file.Decls, "module"))
	}
	if module.Path == "" {
		return nil, errors.Newf(file.Pos(), "the module has no path")
	}
	module.Path, module.Major = splitMajor(module.Path)
	module.Deps = depsIn(file.Decls)
	return module, nil
}

var languageVersion = regexp.MustCompile(`^v(\d+)\.(\d+)(\.\d+)?(-[\w.-]+)?$`)

// checkLanguage refuses what CUE itself would stop at with a panic, or read by rules that it does not know yet.
func checkLanguage(version *ast.BasicLit) errors.Error {
	parts := languageVersion.FindStringSubmatch(unquoted(version))
	if parts == nil {
		return errors.Newf(version.Pos(), "%s is no language version", version.Value)
	}
	latest := languageVersion.FindStringSubmatch(newestLanguage)
	if older(latest[1:3], parts[1:3]) {
		return errors.Newf(version.Pos(), "the language version %s is newer than %s", unquoted(version), newestLanguage)
	}
	return nil
}

func older(a, b []string) bool {
	for index := range a {
		one, _ := strconv.Atoi(a[index])
		other, _ := strconv.Atoi(b[index])
		if one != other {
			return one < other
		}
	}
	return false
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

// textAt finds a string by its field names; empty where there is none.
func textAt(decls []ast.Decl, path ...string) string { return unquoted(literalAt(decls, path...)) }

func unquoted(text *ast.BasicLit) string {
	if text == nil {
		return ""
	}
	unquoted, err := literal.Unquote(text.Value)
	if err != nil {
		return ""
	}
	return unquoted
}

// literalAt finds a literal by its field names. Module files are plain data, so nothing has to be evaluated.
func literalAt(decls []ast.Decl, path ...string) *ast.BasicLit {
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
			if len(path) == 1 {
				return value
			}
		case *ast.StructLit:
			if len(path) > 1 {
				if found := literalAt(value.Elts, path[1:]...); found != nil {
					return found
				}
			}
		}
	}
	return nil
}
