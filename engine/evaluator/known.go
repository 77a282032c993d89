package evaluator

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
)

// knownNames lists the names in the file in which a name was not found, for suggestions. It doesn't
// check whether a name is in scope, because that needs the scopes of the evaluator.
func (e *Evaluator) knownNames(problem Problem) []string {
	if !asksForName(problem.Message) {
		return nil
	}
	for _, position := range problem.Positions {
		if file := e.syntax(position.File); file != nil {
			return slices.Sorted(maps.Keys(namesIn(file)))
		}
	}
	return e.namesOfPackages()
}

// namesOfPackages lists the names of all packages, for an error with positions only in the user's
// files: a struct of an adapter lacks the field.
func (e *Evaluator) namesOfPackages() []string {
	names := map[string]bool{}
	for _, instance := range e.instances() {
		for _, used := range append([]*build.Instance{instance}, instance.Imports...) {
			for _, file := range used.Files {
				if !strings.Contains(file.Filename, "cue.mod/") {
					maps.Copy(names, namesIn(file))
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func asksForName(message string) bool {
	return strings.HasPrefix(message, "reference ") || strings.HasPrefix(message, "undefined field") ||
		message == "field not allowed"
}

func (e *Evaluator) syntax(filename string) *ast.File {
	seen := map[*build.Instance]bool{}
	var find func(instances []*build.Instance) *ast.File
	find = func(instances []*build.Instance) *ast.File {
		for _, instance := range instances {
			if instance == nil || seen[instance] {
				continue
			}
			seen[instance] = true
			for _, file := range instance.Files {
				if file.Filename == filename {
					return file
				}
			}
			if file := find(instance.Imports); file != nil {
				return file
			}
		}
		return nil
	}
	return find(e.instances())
}

// namesIn lists the names of fields, imports and let clauses.
func namesIn(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Walk(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Field:
			if name, _, err := ast.LabelName(n.Label); err == nil {
				names[name] = true
			}
		case *ast.LetClause:
			names[n.Ident.Name] = true
		case *ast.ImportSpec:
			names[ast.ParseImportPath(strings.Trim(n.Path.Value, `"`)).Qualifier] = true
		}
		return true
	}, nil)
	return names
}
