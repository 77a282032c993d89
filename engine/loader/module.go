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

	"qvs/host/source"
)

// moduleFile declares the path of a module.
const moduleFile = "cue.mod/module.cue"

// versionBeforeModules is the language of modules that declare none: the last version before the
// declaration became mandatory. cue/load uses the same.
const versionBeforeModules = "v0.9.0"

// newestLanguage is the version of CUE in go.mod. Patch versions don't change the language.
const newestLanguage = "v0.17.0"

// Module is one root of CUE files.
type Module struct {
	// Root is its number in the Tree.
	Root int
	// Path is the module path without a major version.
	Path string
	// Major is the major version in its path, v0 without one.
	Major string
	// Display is the prefix of paths in messages.
	Display string
	// Language is the CUE version of its files.
	Language string
	// HasFile reports whether the module has a cue.mod/module.cue.
	HasFile bool
	// Deps are its declared dependencies.
	Deps []Dep
}

// Dep is one entry of deps. It only selects the available module for an import; qvs fetches nothing
// for it.
type Dep struct {
	// Path excludes the major version.
	Path    string
	Major   string
	Version string
	// Default marks the dependency that imports without a major version refer to.
	Default bool
}

// ReadModule reads cue.mod/module.cue. A given path overrides the path in the file.
func ReadModule(tree source.Tree, root int, path, display string) (*Module, errors.Error) {
	module := &Module{Root: root, Path: path, Major: "v0", Display: display, Language: versionBeforeModules}
	text, err := tree.Read(root, moduleFile)
	if err != nil {
		if path == "" {
			return nil, errors.Newf(token.NoPos, "%s%s: %v", display, moduleFile, readError(err))
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

// checkLanguage returns an error for versions that would make CUE panic, or whose rules this
// version of CUE doesn't know.
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

// splitMajor separates a module path from its major version, which is v0 by default.
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

// fieldsAt collects the fields of all structs with one name: a file can contain the same field
// several times.
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

// textAt returns the string at a path of field names; empty if there is none.
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

// literalAt returns the literal at a path of field names. Module files are plain data and need no
// evaluation.
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
