// Package evaluator keeps CUE values behind handles and executes the operations of the compile
// stage.
package evaluator

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/provenance"

	"qvs/engine/loader"
	"qvs/host/source"
)

// Handle identifies a value until the next Begin.
type Handle int

// Root is a directory with CUE files. Its index is its number in the Tree.
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
	// generation counts how often packages were assembled again. Results of an earlier generation
	// are stale.
	generation int
	operations int
	// kept is the size of the heap after the last collection, in bytes.
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
		if duplicate := duplicateOf(module, modules); duplicate != nil {
			problems = append(problems, Problem{
				Message:   fmt.Sprintf("two modules have the path %s@%s, so imports of it are ambiguous", module.Path, module.Major),
				Path:      []string{},
				Positions: []Position{moduleFileOf(module), moduleFileOf(duplicate)},
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

func duplicateOf(module *loader.Module, others []*loader.Module) *loader.Module {
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

// Begin forgets all values, but not the packages, so that the next evaluation of the same modules
// starts warm. Equal params give the same result as in a new engine.
func (e *Evaluator) Begin() {
	e.loader.ForgetSuperseded()
	e.thunks = nil
	e.packages = nil
	e.sources = map[string]bool{}
	e.tracers = nil
	e.tidyBefore()
}

// Load returns the value of a package.
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

// Files returns the files of the loaded packages, sorted; an empty list before the first package.
func (e *Evaluator) Files() []string { return append([]string{}, e.loader.Files(e.instances()...)...) }

// Asked returns the questions on which the loaded packages depend.
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
