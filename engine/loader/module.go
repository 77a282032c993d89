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
	if path, major, ok := strings.Cut(module.Path, "@"); ok {
		module.Path, module.Major = path, major
	}
	return module, nil
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
