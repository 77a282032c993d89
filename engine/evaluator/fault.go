package evaluator

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/provenance"
)

// Fault contains the errors that hide fields of a value.
type Fault struct {
	// Own are the errors of the value itself, without those of its parts: a condition or loop that
	// can't be decided, or a disjunction without a default. The fields of such a comprehension
	// would be missing without an error.
	Own []Problem `json:"own"`
	// Parts are errors of parts, if CUE then no longer knows whether a condition or loop of the
	// value itself could be decided.
	Parts []Problem `json:"parts"`
}

// manyForms is the message about a disjunction without a default. The compile stage explains it.
const manyForms = "the value has several possible forms"

// Fault returns the errors that hide fields of a value.
func (e *Evaluator) Fault(of Handle) Fault { return e.fault(e.value(of)) }

func (e *Evaluator) fault(value cue.Value) Fault {
	value = resolved(value)
	fault := Fault{Own: []Problem{}, Parts: []Problem{}}
	switch err := value.Err(); {
	case err != nil && provenance.IsErrorOfPart(value):
		fault.Parts = e.problems(err)
	case err != nil:
		fault.Own = e.problems(err)
	case isStructure(value) && provenance.IsUndecided(value):
		fault.Own = []Problem{{Message: manyForms, Path: stepsTo(value), Positions: placesOf(value)}}
	}
	return fault
}

// resolved returns the default of a disjunction, and the target of a value that is only a
// reference. Err and List don't see the errors of a target.
func resolved(value cue.Value) cue.Value {
	target, _ := value.Default()
	return target
}

func isStructure(value cue.Value) bool {
	return value.IncompleteKind()&(cue.StructKind|cue.ListKind) != 0
}

func placesOf(value cue.Value) []Position {
	if position := positionOf(value.Pos()); position != nil {
		return []Position{*position}
	}
	return []Position{}
}

// Same reports whether two values have the same parts.
func (e *Evaluator) Same(a, b Handle) bool { return provenance.IsSame(e.value(a), e.value(b)) }
