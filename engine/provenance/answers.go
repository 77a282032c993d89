package provenance

import (
	"strings"

	"cuelang.org/go/internal/core/adt"
)

// question identifies a repeated search: thousands of fields of one comprehension have the same
// list as their source.
type question struct {
	// node is a field, an expression or a comprehension.
	node adt.Node
	// env is the scope of an expression or a comprehension; nil for a field.
	env *adt.Environment
	// alone excludes the parents of a field.
	alone bool
}

// found is the answer: the parameters that a value was made from, through all of its references.
type found struct {
	uses uses
	// conditions are the conditions of the fields that the value was made from.
	conditions uses
	reads      reads
}

func (f *found) all() uses { return f.uses.and(f.conditions) }

// ask adds the result of `look`, which runs once for each question.
func (s *search) ask(q question, look func(*search)) {
	if known, ok := s.answers[q]; ok {
		s.take(known)
		return
	}
	if s.open.leadsBack(q) {
		return
	}
	inner := &search{tracer: s.tracer, open: s.open, seen: map[*adt.Vertex]bool{}}
	complete, _ := s.open.answer(q, func() { look(inner) })
	if complete {
		s.answers[q] = inner.found
	}
	s.take(inner.found)
}

func (s *search) take(known found) {
	s.step(len(known.uses) + len(known.conditions) + len(known.reads.paths))
	s.uses = s.uses.and(known.uses)
	s.conditions = s.conditions.and(known.conditions)
	for _, path := range known.reads.paths {
		s.reads.add(path)
	}
}

// reads are paths below `resources`, without duplicates.
type reads struct {
	paths [][]string
	known map[string]bool
}

func (r *reads) add(path []string) {
	key := keyOf(path)
	if r.known[key] {
		return
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[key] = true
	r.paths = append(r.paths, path)
}

// keyOf joins a path. Different paths give different strings, because no label of CUE contains this
// character.
func keyOf(path []string) string { return strings.Join(path, "\x00") }

// depths count nested questions. `lowest` is the outermost question that the innermost one leads
// back to; that is itself unless fields refer to each other in a circle.
type depths struct {
	current int
	lowest  int
}

// pending are the questions without a complete answer. A question that leads back to an open
// question lacks a part of that question's answer, but the asker of the open question gets this
// part anyway. Such a partial answer is discarded when the open question is answered.
type pending[Q comparable] struct {
	*depths
	// lowest is, for each question, the outermost question that it leads back to.
	lowest map[Q]int
	// partial are the questions with partial answers, in the order of their answers.
	partial []Q
}

func newPending[Q comparable](depths *depths) *pending[Q] {
	return &pending[Q]{depths: depths, lowest: map[Q]int{}}
}

// leadsBack reports whether a question is pending.
func (p *pending[Q]) leadsBack(q Q) bool {
	lowest, isPending := p.lowest[q]
	if isPending {
		p.depths.lowest = min(p.depths.lowest, lowest)
	}
	return isPending
}

// answer runs `find`. It reports whether the answer is complete, and which partial answers that
// makes obsolete.
func (p *pending[Q]) answer(q Q, find func()) (isWhole bool, outdated []Q) {
	around, before := p.depths.lowest, len(p.partial)
	p.current++
	own := p.current
	p.lowest[q], p.depths.lowest = own, own
	find()
	p.current--
	lowest := p.depths.lowest
	p.depths.lowest = min(lowest, around)
	if lowest < own {
		p.partial = append(p.partial, q)
		for _, each := range p.partial[before:] {
			p.lowest[each] = min(p.lowest[each], lowest)
		}
		return false, nil
	}
	outdated = p.partial[before:]
	p.partial = p.partial[:before]
	delete(p.lowest, q)
	for _, each := range outdated {
		delete(p.lowest, each)
	}
	return true, outdated
}
