package evaluator

import (
	"fmt"
	"math"
	"math/big"

	"cuelang.org/go/cue"
)

// inexact lists the numbers of a concrete value that would change on the way to the cluster. The
// host reads JSON numbers as doubles: integers beyond 2^53 can lose digits, and numbers beyond
// 10^308 have no value. A fraction is rounded to the nearest double, as in Kubernetes.
func inexact(value cue.Value, text []byte) []Problem {
	if !mayBeInexact(text) {
		return nil
	}
	return inexactIn(value)
}

// mayBeInexact looks for 16 digits in a row or an exponent, so that nearly every value needs no
// walk.
func mayBeInexact(text []byte) bool {
	digits := 0
	for _, character := range text {
		switch {
		case '0' <= character && character <= '9':
			digits++
			if digits == 16 {
				return true
			}
		case digits > 0 && (character == 'e' || character == 'E'):
			return true
		default:
			digits = 0
		}
	}
	return false
}

func inexactIn(value cue.Value) []Problem {
	var problems []Problem
	switch value.Kind() {
	case cue.StructKind:
		fields, err := value.Fields()
		for err == nil && fields.Next() {
			problems = append(problems, inexactIn(fields.Value())...)
		}
	case cue.ListKind:
		for _, element := range elementsOf(value) {
			problems = append(problems, inexactIn(element)...)
		}
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		if !survives(value) {
			problems = append(problems, inexactNumber(value))
		}
	}
	return problems
}

func survives(value cue.Value) bool {
	if value.Kind() == cue.IntKind {
		whole, err := value.Int(nil)
		if err != nil {
			return false
		}
		_, accuracy := new(big.Float).SetInt(whole).Float64()
		return accuracy == big.Exact
	}
	double, err := value.Float64()
	return err == nil && !math.IsInf(double, 0)
}

func inexactNumber(value cue.Value) Problem {
	problem := Problem{
		Message:   fmt.Sprintf("the number %v would change: only integers up to 2^53 keep all digits", value),
		Path:      stepsTo(value),
		Positions: []Position{},
	}
	if position := positionOf(value.Pos()); position != nil {
		problem.Positions = append(problem.Positions, *position)
	}
	return problem
}

func stepsTo(value cue.Value) []string {
	path := []string{}
	for _, selector := range value.Path().Selectors() {
		if selector.LabelType() == cue.StringLabel {
			path = append(path, selector.Unquoted())
		} else {
			path = append(path, selector.String())
		}
	}
	return path
}
