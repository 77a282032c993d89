package loader

import (
	"bytes"
	"strings"
)

// readable returns the part of a file to parse. Two thirds of vendored files are documentation of
// their types, and reading it would be the most expensive part of loading an adapter.
func (l *Loader) readable(file string, text []byte) []byte {
	if l.asWritten || !strings.HasPrefix(file, "cue.mod/") || hasMultilineText(text) {
		return text
	}
	return withoutCommentLines(text)
}

// hasMultilineText reports whether a line that begins with // might be part of a string.
func hasMultilineText(text []byte) bool {
	return bytes.Contains(text, []byte(`"""`)) || bytes.Contains(text, []byte("'''"))
}

// withoutCommentLines empties lines that contain only a comment, so that the rest keeps its lines
// and columns.
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
