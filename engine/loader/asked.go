package loader

import (
	"cmp"
	"slices"

	"cuelang.org/go/cue/build"
)

// Question is one question to the tree.
type Question struct {
	Root int    `json:"root"`
	Path string `json:"path"`
	Ask  Asking `json:"ask"`
}

// Asking is the kind of a Question: the text of a file, the names of the files in a directory, or
// all entries of a directory.
type Asking string

const (
	AskText    Asking = "text"
	AskFiles   Asking = "files"
	AskEntries Asking = "entries"
)

// finding is the search for an import path in files of one module. Its answers decide which package
// is found, also if the answer is empty.
type finding struct{ at pathIn }

// Asked returns every question whose answer decided about the packages of the instances, sorted.
// This includes empty listings, and files whose package clause names another package. As long as
// all answers stay the same, the packages do too. The list can contain more than was needed, never
// less.
func (l *Loader) Asked(importPaths []string, instances []*build.Instance) []Question {
	asked := map[Question]bool{}
	note := func(subject any) {
		for question := range l.questions[subject] {
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
		for _, imported := range l.imports[at.key] {
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

// noting assigns questions to a subject: the key of a package that is assembled, or a finding.
func (l *Loader) noting(subject any, work func()) {
	l.subjects = append(l.subjects, subject)
	work()
	l.subjects = l.subjects[:len(l.subjects)-1]
}

// note records a question of the current subject, even if its answer is already known.
func (l *Loader) note(question Question) {
	if len(l.subjects) == 0 {
		return
	}
	subject := l.subjects[len(l.subjects)-1]
	if l.questions[subject] == nil {
		l.questions[subject] = map[Question]bool{}
	}
	l.questions[subject][question] = true
}

// seek records an import of the package that is being assembled.
func (l *Loader) seek(imported pathIn) {
	if len(l.loading) == 0 {
		return
	}
	key := l.loading[len(l.loading)-1]
	if !slices.Contains(l.imports[key], imported) {
		l.imports[key] = append(l.imports[key], imported)
	}
}
