package loader

import (
	"cmp"
	"slices"

	"cuelang.org/go/cue/build"
)

// Question is something that the tree was asked for.
type Question struct {
	Root int    `json:"root"`
	Path string `json:"path"`
	Ask  Asking `json:"ask"`
}

// Asking is what a Question asks for: the text of a file, the names of the files in a directory, or all that it holds.
type Asking string

const (
	AskText    Asking = "text"
	AskFiles   Asking = "files"
	AskEntries Asking = "entries"
)

// finding is what the search for an import path in files of one module was for: its answers decide which package is
// found, also those that say that there is nothing.
type finding struct{ at pathIn }

// Asked returns every question whose answer decided what the packages of the instances are, sorted: also the listings
// that held nothing, and the files whose package clause told that they belong elsewhere. As long as all answers stay
// the same, so do the packages. It may hold more than was needed, never less.
func (l *Loader) Asked(importPaths []string, instances []*build.Instance) []Question {
	asked := map[Question]bool{}
	note := func(subject any) {
		for question := range l.asked[subject] {
			asked[question] = true
		}
	}
	for _, module := range l.modules {
		asked[Question{Root: module.Root, Path: moduleFile, Ask: AskText}] = true
	}
	for _, importPath := range importPaths {
		note(finding{pathIn{nil, importPath}})
	}
	for _, instance := range withImports(instances) {
		at, ok := l.places[instance.ImportPath]
		if !ok {
			continue
		}
		note(at.key)
		for _, imported := range l.sought[at.key] {
			note(finding{imported})
		}
	}
	questions := make([]Question, 0, len(asked))
	for question := range asked {
		questions = append(questions, question)
	}
	slices.SortFunc(questions, func(a, b Question) int {
		return cmp.Or(cmp.Compare(a.Root, b.Root), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Ask, b.Ask))
	})
	return questions
}

// noting answers questions on behalf of a subject: the key of a package that is assembled, or a finding.
func (l *Loader) noting(subject any, work func()) {
	l.subjects = append(l.subjects, subject)
	work()
	l.subjects = l.subjects[:len(l.subjects)-1]
}

// note remembers a question of the current subject. An answer that is known already counts like the first time.
func (l *Loader) note(question Question) {
	if len(l.subjects) == 0 {
		return
	}
	subject := l.subjects[len(l.subjects)-1]
	if l.asked[subject] == nil {
		l.asked[subject] = map[Question]bool{}
	}
	l.asked[subject][question] = true
}

// seek remembers that the package that is being assembled imports something.
func (l *Loader) seek(imported pathIn) {
	if len(l.loading) == 0 {
		return
	}
	key := l.loading[len(l.loading)-1]
	if !slices.Contains(l.sought[key], imported) {
		l.sought[key] = append(l.sought[key], imported)
	}
}
