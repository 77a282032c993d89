package loader

import (
	"bytes"
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

// parseImportPath reads an import path as CUE does, with the major version at its end
// (a.example/lib/x@v1:p). It also accepts the version behind the module (a.example/lib@v1/x:p),
// which users write.
func parseImportPath(importPath string) ast.ImportPath {
	return ast.ParseImportPath(majorAtEnd(importPath))
}

var majorInside = regexp.MustCompile(`^([^@:]+)@(v[0-9]+)((?:/[^@:/]+)+)((?::.*)?)$`)

// majorAtEnd returns exactly as many bytes as its argument has.
func majorAtEnd(importPath string) string {
	return majorInside.ReplaceAllString(importPath, "$1$3@$2$4")
}

// majorsAtEnd converts all imports of a file to the form of CUE, which takes the name of a package
// from there. The rest of the file, and all positions, stay the same.
func majorsAtEnd(text []byte) []byte {
	if !bytes.Contains(text, []byte("@v")) {
		return text
	}
	head, err := parser.ParseFile("", text, parser.ImportsOnly)
	if err != nil {
		return text
	}
	changed := bytes.Clone(text)
	for spec := range head.ImportSpecs() {
		written := spec.Path.Value
		at := spec.Path.Pos().Offset()
		path := strings.Trim(written, `"`)
		if len(path) == len(written)-2 && bytes.HasPrefix(changed[at:], []byte(written)) {
			copy(changed[at+1:], majorAtEnd(path))
		}
	}
	return changed
}
