package loader

import (
	"bytes"
	"strings"
)

// readable is what is parsed of a file. Two thirds of what modules vendor is documentation of somebody else's types,
// and reading over it would be the most expensive part of loading an adapter.
func (l *Loader) readable(file string, text []byte) []byte {
	if l.asWritten || !strings.HasPrefix(file, "cue.mod/") || hasMultilineText(text) {
		return text
	}
	return withoutCommentLines(text)
}

// hasMultilineText tells whether a line that begins with // might be part of a string.
func hasMultilineText(text []byte) bool {
	return bytes.Contains(text, []byte(`"""`)) || bytes.Contains(text, []byte("'''"))
}

// withoutCommentLines empties the lines that hold a comment only, so that everything else stays at its line and column.
func withoutCommentLines(text []byte) []byte {
	kept := make([]byte, 0, len(text))
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		line := text[:end]
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//")) {
			line = []byte("\n")
		}
		kept = append(kept, line...)
		text = text[end:]
	}
	return kept
}
