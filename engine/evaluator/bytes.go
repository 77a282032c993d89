package evaluator

import (
	"strconv"

	"cuelang.org/go/cue"
)

// Bytes lists the paths of bytes within a concrete value. Its JSON shows them as Base64, which
// looks like any string.
func (e *Evaluator) Bytes(of Handle) [][]string { return bytesIn(e.value(of), nil) }

func bytesIn(value cue.Value, path []string) [][]string {
	paths := [][]string{}
	switch value.Kind() {
	case cue.BytesKind:
		return [][]string{append([]string{}, path...)}
	case cue.StructKind:
		fields, err := value.Fields()
		for err == nil && fields.Next() {
			paths = append(paths, bytesIn(fields.Value(), append(path, fields.Selector().Unquoted()))...)
		}
	case cue.ListKind:
		for index, element := range elementsOf(value) {
			paths = append(paths, bytesIn(element, append(path, strconv.Itoa(index)))...)
		}
	}
	return paths
}
