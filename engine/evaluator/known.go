package evaluator

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
)

// knownNames lists the names in the file at which a name was not found, so that somebody can tell which one was meant.
// Finding only those that are in reach would take the evaluator's own scopes; a name of the same file is a better
// guess than none.
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

// namesOfPackages is for what only the user's own files name: a field that some struct of some adapter does not have.
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

// namesIn lists the names of fields, of what is imported and of what is bound by let.
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
