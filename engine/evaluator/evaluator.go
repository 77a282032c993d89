// Package evaluator holds CUE values behind handles and does to them what the compile stage asks for.
package evaluator

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/provenance"

	"qvs/engine/loader"
	"qvs/engine/source"
)

// Handle names a value until the next Begin.
type Handle int

// Root describes one folder of CUE files; the Tree knows it by its place in the list.
type Root struct {
	Path    string
	Display string
}

// Evaluator is one evaluation context: all its values can be unified with each other.
type Evaluator struct {
	context  *cue.Context
	loader   *loader.Loader
	thunks   []*thunk
	packages []string
	sources  map[string]bool
	tracers  []*provenance.Tracer
	// generation counts how often packages had to be assembled again; older results are stale.
	generation int
	operations int
	// kept is how much of the heap the last collection left, in bytes.
	kept uint64
}

// New reads the module files of the roots.
func New(tree source.Tree, roots []Root) (*Evaluator, []Problem) {
	var modules []*loader.Module
	var problems []Problem
	for number, root := range roots {
		module, err := loader.ReadModule(tree, number, root.Path, root.Display)
		if err != nil {
			problems = append(problems, problemsOf(err, nil)...)
			continue
		}
		if twin := twinOf(module, modules); twin != nil {
			problems = append(problems, Problem{
				Message:   fmt.Sprintf("two modules are called %s@%s, so that nobody can say which one an import means", module.Path, module.Major),
				Path:      []string{},
				Positions: []Position{moduleFileOf(module), moduleFileOf(twin)},
			})
		}
		modules = append(modules, module)
	}
	return &Evaluator{
		context: provenance.NewContext(),
		loader:  loader.New(tree, modules),
		sources: map[string]bool{},
	}, problems
}

func twinOf(module *loader.Module, others []*loader.Module) *loader.Module {
	for _, other := range others {
		if other.Path == module.Path && other.Major == module.Major {
			return other
		}
	}
	return nil
}

func moduleFileOf(module *loader.Module) Position {
	return Position{File: module.Display + "cue.mod/module.cue", Line: 1, Column: 1}
}

// Begin forgets all values, but not the packages, so that the next evaluation of the same modules starts warm. It makes
// of the same params whatever it would make of them in a new engine.
func (e *Evaluator) Begin() {
	e.loader.ForgetSuperseded()
	e.thunks = nil
	e.packages = nil
	e.sources = map[string]bool{}
	e.tracers = nil
	e.tidyBefore()
}

// Load answers with the value of a package.
func (e *Evaluator) Load(importPath string) (Handle, []Problem) {
	e.tidyWithin()
	e.packages = append(e.packages, importPath)
	instance := e.loader.Load(importPath)
	if instance.Err != nil {
		return 0, e.problems(instance.Err)
	}
	built := e.context.BuildInstance(instance)
	if instance.Err != nil {
		return 0, e.problems(instance.Err)
	}
	if !built.Exists() {
		return 0, e.problems(built.Err())
	}
	return e.keep(func() cue.Value { return e.context.BuildInstance(e.loader.Load(importPath)) }), nil
}

// Files returns what the loaded packages were read from, sorted; an empty list before the first of them.
func (e *Evaluator) Files() []string { return append([]string{}, e.loader.Files(e.instances()...)...) }

// Asked returns what the loaded packages depend on.
func (e *Evaluator) Asked() []loader.Question {
	return e.loader.Asked(e.packages, e.instances())
}

func (e *Evaluator) instances() []*build.Instance {
	instances := make([]*build.Instance, 0, len(e.packages))
	for _, importPath := range e.packages {
		instances = append(instances, e.loader.Load(importPath))
	}
	return instances
}
