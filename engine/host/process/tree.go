package process

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"qvs/host/source"
)

// hostTree asks the host for every file. The engine opens none.
type hostTree struct{ host *channel }

func (t hostTree) Files(root int, dir string) []string { return t.names(kindFiles, root, dir) }

func (t hostTree) Entries(root int, dir string) []source.Entry {
	var entries []source.Entry
	for _, name := range t.names(kindEntries, root, dir) {
		name, isDir := strings.CutSuffix(name, "/")
		entries = append(entries, source.Entry{Name: name, IsDir: isDir})
	}
	return entries
}

func (t hostTree) Read(root int, path string) ([]byte, error) { return t.ask(kindText, root, path) }

func (t hostTree) names(kind byte, root int, dir string) []string {
	answer, err := t.ask(kind, root, dir)
	if err != nil || len(answer) == 0 {
		return nil
	}
	var names []string
	for name := range bytes.SplitSeq(answer, []byte{0}) {
		names = append(names, string(name))
	}
	return names
}

func (t hostTree) ask(kind byte, root int, path string) ([]byte, error) {
	question := binary.LittleEndian.AppendUint32(nil, uint32(root))
	t.host.send(kind, append(question, path...))
	answer := <-t.host.received
	if answer.kind == kindFound {
		return answer.content, nil
	}
	return nil, errorOf(answer)
}

func errorOf(answer frame) error {
	if answer.kind != kindNotFound || len(answer.content) != 4 {
		return fmt.Errorf("the host sent a frame of kind %q", answer.kind)
	}
	switch code := int32(binary.LittleEndian.Uint32(answer.content)); code {
	case -1:
		return source.ErrMissing
	case -2:
		return source.ErrOutside
	case -3:
		return source.ErrTooLarge
	default:
		return fmt.Errorf("the host answered %d", code)
	}
}
