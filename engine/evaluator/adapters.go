package evaluator

import "qvs/engine/loader"

// Adapters lists, for each root, the packages that might be adapters. `folders` are the directories
// of each root.
func (e *Evaluator) Adapters(directories [][]string) []loader.Listing {
	return e.loader.Adapters(directories)
}
