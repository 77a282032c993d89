package provenance

import (
	"strings"

	"cuelang.org/go/internal/core/adt"
)

// question is what a search asks again and again: thousands of fields of one comprehension come from the same list.
type question struct {
	// node is a field, an expression or a comprehension.
	node adt.Node
	// env is the scope of an expression or a comprehension; nil for a field.
	env *adt.Environment
	// alone leaves out what a field is itself a part of.
	alone bool
}

// found is the answer: the parameters that a value was made from, through everything that it refers to.
type found struct {
	uses uses
	// conditions are those of the fields that the value was made from.
	conditions uses
	reads      reads
}

func (f *found) all() uses { return f.uses.and(f.conditions) }

// ask adds what `look` finds, which is looked for once.
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

// reads are paths below `resources`, each once.
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

// keyOf makes one text of a path, the same for no two paths: no label of CUE holds that character.
func keyOf(path []string) string { return strings.Join(path, "\x00") }

// depths tell how many questions are being answered within each other, and the first of them that the innermost one
// leads back to; that is itself unless fields refer to each other in a circle.
type depths struct {
	current int
	lowest  int
}

// pending are the questions that have no whole answer yet. One that leads back to a question that is still being answered
// lacks a part of that one's answer, which whoever asked that one is told in any case. It is kept no longer than that.
type pending[Q comparable] struct {
	*depths
	// lowest is, of each, the first that it leads back to.
	lowest map[Q]int
	// partial were answered, each later than those before it.
	partial []Q
}

func newPending[Q comparable](depths *depths) *pending[Q] {
	return &pending[Q]{depths: depths, lowest: map[Q]int{}}
}

// leadsBack tells whether a question is one of these.
func (p *pending[Q]) leadsBack(q Q) bool {
	lowest, isPending := p.lowest[q]
	if isPending {
		p.depths.lowest = min(p.depths.lowest, lowest)
	}
	return isPending
}

// answer tells whether the answer that `find` finds is whole, and which partial ones are of no use any more because of it.
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
