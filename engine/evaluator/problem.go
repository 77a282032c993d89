package evaluator

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"
)

// Position is a place in a file, counted from 1.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Problem is one error of CUE.
type Problem struct {
	Message   string     `json:"message"`
	Path      []string   `json:"path"`
	Positions []Position `json:"positions"`
	// Known are names to suggest, if the error is about an unknown name.
	Known []string `json:"known,omitempty"`
}

func (e *Evaluator) problems(err error) []Problem {
	problems := problemsOf(err, e.sources)
	for index, problem := range problems {
		problems[index].Known = e.knownNames(problem)
	}
	return problems
}

// problemsOf splits an error of CUE into single problems. `sources` are the files that structs were
// made from: they belong to the user, and their places are first.
func problemsOf(err error, sources map[string]bool) []Problem {
	problems := []Problem{}
	for _, single := range errors.Errors(err) {
		problem := Problem{Message: messageOf(single), Path: single.Path(), Positions: positionsOf(single, sources)}
		if problem.Path == nil {
			problem.Path = []string{}
		}
		if !slices.ContainsFunc(problems, func(p Problem) bool { return same(p, problem) }) {
			problems = append(problems, problem)
		}
	}
	return withoutSummaries(problems)
}

// messageOf falls back to Error, because errors from outside of CUE have no message of their own.
// The message of a wrapping error ("import failed") is incomplete without the wrapped error.
func messageOf(err errors.Error) string {
	format, args := err.Msg()
	message := fmt.Sprintf(format, args...)
	if message == "@embed" {
		// The error of a Go decoder is below errors of CUE and describes the mistake in the file.
		return err.Error()
	}
	if cause := causeOf(err); cause != nil && !strings.Contains(message, messageOf(cause)) {
		return message + ": " + messageOf(cause)
	}
	if message != "" {
		return message
	}
	return err.Error()
}

// causeOf returns the wrapped error of CUE. The message already contains errors of Go functions.
func causeOf(err errors.Error) errors.Error {
	cause, _ := errors.Unwrap(err).(errors.Error)
	return cause
}

// positionsOf returns the positions of an error, those of its cause first.
func positionsOf(err errors.Error, sources map[string]bool) []Position {
	positions := []Position{}
	var found []token.Pos
	if cause := causeOf(err); cause != nil {
		found = errors.Positions(cause)
	}
	for _, pos := range append(found, errors.Positions(err)...) {
		if position := positionOf(pos); position != nil && !slices.Contains(positions, *position) {
			positions = append(positions, *position)
		}
	}
	slices.SortStableFunc(positions, func(a, b Position) int { return distance(a, sources) - distance(b, sources) })
	return positions
}

// distance ranks a file by its distance from the user's work: the config, then adapters, then
// vendored modules.
func distance(position Position, sources map[string]bool) int {
	if sources[position.File] {
		return 0
	}
	if strings.Contains(position.File, "cue.mod/") {
		return 2
	}
	return 1
}

// withoutSummaries removes "3 errors in empty disjunction:", which only counts the errors after it.
func withoutSummaries(problems []Problem) []Problem {
	kept := slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool {
		return strings.Contains(p.Message, "errors in empty disjunction")
	})
	if len(kept) == 0 {
		return problems
	}
	return kept
}

func same(a, b Problem) bool {
	return a.Message == b.Message && slices.Equal(a.Path, b.Path) && slices.Equal(a.Positions, b.Positions)
}
