package evaluator

import "qvs/engine/loader"

// Adapters lists, for each root, the packages that may be adapters. `folders` are the folders of each root.
func (e *Evaluator) Adapters(folders [][]string) []loader.Listing {
	return e.loader.Adapters(folders)
}
