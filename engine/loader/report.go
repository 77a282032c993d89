package loader

import (
	"maps"
	"slices"

	"cuelang.org/go/cue/build"

	"qvs/engine/oldlists"
)

// Files returns the files that a package and everything it imports were read from, embedded ones among them, sorted, as
// they are displayed.
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

// Rewrites returns the old syntax that was replaced in a package and everything it imports, by file and position.
func (l *Loader) Rewrites(instances ...*build.Instance) []oldlists.Rewrite {
	var all []oldlists.Rewrite
	for _, file := range l.Files(instances...) {
		all = append(all, l.rewritten[file]...)
	}
	return all
}

// Supersede has a `+` or `*` rewritten that only the evaluator could tell to be about lists. Everything is assembled
// again by the next Load. It answers false when this was asked for before, so that nobody tries for ever.
func (l *Loader) Supersede(site oldlists.Site) bool {
	if l.supersededAt[site] {
		return false
	}
	l.supersededAt[site] = true
	l.forgetInstances()
	return true
}

// ForgetSuperseded takes list arithmetic for what it looks like again. What only one evaluation showed to be about
// lists may be about numbers in the next, with other params.
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
