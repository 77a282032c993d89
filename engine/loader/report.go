package loader

import (
	"maps"
	"slices"

	"cuelang.org/go/cue/build"

	"qvs/engine/oldlists"
)

// Files returns the display names of the files of a package and everything it imports, including
// embedded files, sorted.
func (l *Loader) Files(instances ...*build.Instance) []string {
	seen := map[string]bool{}
	for _, instance := range withImports(instances) {
		for _, file := range instance.BuildFiles {
			seen[file.Filename] = true
		}
		for _, file := range l.embedded[instance.ImportPath] {
			seen[file] = true
		}
		if at, ok := l.places[instance.ImportPath]; ok && at.module.HasFile {
			seen[at.module.Display+moduleFile] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Rewrites returns the old syntax that was replaced in a package and everything it imports, by file
// and position.
func (l *Loader) Rewrites(instances ...*build.Instance) []oldlists.Rewrite {
	var all []oldlists.Rewrite
	for _, file := range l.Files(instances...) {
		all = append(all, l.rewritten[file]...)
	}
	return all
}

// Supersede rewrites a `+` or `*` that only the evaluator recognized as an operation on lists. The
// next Load assembles everything again. It returns false if the site is already known, so that an
// evaluation can't repeat endlessly.
func (l *Loader) Supersede(site oldlists.Site) bool {
	if l.supersededAt[site] {
		return false
	}
	l.supersededAt[site] = true
	l.forgetInstances()
	return true
}

// ForgetSuperseded forgets the operations on lists that only an evaluation revealed: with other
// params, they can be operations on numbers.
func (l *Loader) ForgetSuperseded() {
	if len(l.supersededAt) > 0 {
		l.supersededAt = map[oldlists.Site]bool{}
		l.forgetInstances()
	}
}

func withImports(instances []*build.Instance) []*build.Instance {
	all := slices.Clone(instances)
	for _, instance := range instances {
		all = append(all, instance.Dependencies()...)
	}
	return all
}
