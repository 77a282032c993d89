package evaluator

import (
	"encoding/json"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/token"
)

// Lookup returns the regular field at a path, even if it is an error; 0 if it doesn't exist. It
// takes the default of a disjunction on the path, like a reference in CUE.
func (e *Evaluator) Lookup(of Handle, path []string) Handle {
	found := fieldIn(e.value(of), path)
	if !found.Exists() {
		return 0
	}
	return e.keepKnown(found, func() cue.Value { return fieldIn(e.value(of), path) })
}

func fieldIn(value cue.Value, path []string) cue.Value {
	for _, name := range path {
		if selected, isDefault := value.Default(); isDefault {
			value = selected
		}
		value = value.LookupPath(pathOf([]string{name}))
	}
	return value
}

// Elements returns the elements of a list; none if the value isn't a list.
func (e *Evaluator) Elements(of Handle) []Handle {
	var handles []Handle
	for index, element := range elementsOf(e.value(of)) {
		handles = append(handles, e.keepKnown(element, func() cue.Value {
			if elements := elementsOf(e.value(of)); index < len(elements) {
				return elements[index]
			}
			return cue.Value{}
		}))
	}
	return handles
}

func elementsOf(value cue.Value) []cue.Value {
	if value = resolved(value); value.Err() != nil {
		return nil
	}
	iterator, err := value.List()
	if err != nil {
		return nil
	}
	var elements []cue.Value
	for iterator.Next() {
		elements = append(elements, iterator.Value())
	}
	return elements
}

// Unify returns the conjunction of two values.
func (e *Evaluator) Unify(a, b Handle) Handle {
	return e.keep(func() cue.Value { return e.value(a).Unify(e.value(b)) })
}

// Validate lists the errors of a value and, if asked, its incomplete parts. Definitions and hidden
// fields can be incomplete.
func (e *Evaluator) Validate(of Handle, concrete bool) []Problem {
	value := e.value(of)
	if concrete {
		return e.problems(value.Validate(cue.Concrete(true), cue.Final()))
	}
	return e.problems(value.Validate())
}

// Export returns the JSON of a concrete value with its defaults. A number that would change in JSON
// is a problem.
func (e *Evaluator) Export(of Handle) (json.RawMessage, []Problem) {
	if problems := e.Validate(of, true); len(problems) > 0 {
		return nil, problems
	}
	text, err := e.value(of).MarshalJSON()
	if err != nil {
		return nil, e.problems(err)
	}
	if problems := inexact(e.value(of), text); len(problems) > 0 {
		return nil, problems
	}
	return text, nil
}

// Position returns the place of a value's source, nil for a value without source.
func (e *Evaluator) Position(of Handle) *Position { return positionOf(e.value(of).Pos()) }

func positionOf(pos token.Pos) *Position {
	if !pos.IsValid() || pos.Filename() == "" {
		return nil
	}
	at := pos.Position()
	return &Position{File: at.Filename, Line: at.Line, Column: at.Column}
}

func pathOf(names []string) cue.Path {
	selectors := make([]cue.Selector, len(names))
	for i, name := range names {
		selectors[i] = cue.Str(name)
	}
	return cue.MakePath(selectors...)
}
