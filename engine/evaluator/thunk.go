package evaluator

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"qvs/engine/oldlists"
)

// thunk is a value with its computation. When the evaluator finds list arithmetic that the file
// alone doesn't reveal, the file is rewritten, and every value is computed again from the new
// syntax.
type thunk struct {
	compute    func() cue.Value
	value      cue.Value
	generation int
	// fill is set if the value is another value with an addition.
	fill *fill
}

func (e *Evaluator) keep(compute func() cue.Value) Handle {
	e.thunks = append(e.thunks, &thunk{compute: compute, generation: -1})
	return Handle(len(e.thunks))
}

// keepKnown keeps a computed value. It is computed again only after packages were assembled again.
func (e *Evaluator) keepKnown(value cue.Value, compute func() cue.Value) Handle {
	generation := e.generation
	return e.keep(func() cue.Value {
		if e.generation == generation {
			return value
		}
		return compute()
	})
}

// value returns the value of a handle. Each computation resolves references to other handles, so a
// new generation reaches all values.
func (e *Evaluator) value(handle Handle) cue.Value {
	t := e.thunks[handle-1]
	for t.generation != e.generation {
		generation := e.generation
		value := t.compute()
		if generation != e.generation {
			// A part of this value was rewritten during the computation.
			continue
		}
		t.value, t.generation = value, generation
		e.supersede(value)
	}
	return t.value
}

// supersede finds the error of removed list arithmetic in a value and rewrites its source.
func (e *Evaluator) supersede(value cue.Value) {
	if value.Err() == nil {
		return
	}
	found := false
	for _, err := range errors.Errors(value.Validate()) {
		for _, site := range supersededSites(err) {
			found = e.loader.Supersede(site) || found
		}
	}
	if found {
		e.generation++
	}
}

func supersededSites(err errors.Error) []oldlists.Site {
	message := err.Error()
	if !strings.Contains(message, "superseded by list.") {
		return nil
	}
	operator := token.ADD
	if strings.Contains(message, "Multiplication") {
		operator = token.MUL
	}
	var sites []oldlists.Site
	for _, pos := range errors.Positions(err) {
		sites = append(sites, oldlists.Site{File: pos.Filename(), Offset: pos.Offset(), Op: operator})
	}
	return sites
}
