// Package warnings records the log messages of the libraries.
package warnings

import (
	"context"
	"log"
	"log/slog"
	"os"
	"strings"

	"qvs/render/problem"
)

// maxWarnings is the maximum number of warnings for one rendering.
const maxWarnings = 100

// Recorder collects warnings, each once.
type Recorder struct {
	seen    map[string]bool
	notices []problem.Notice
	before  *slog.Logger
}

// Record collects all log messages from now on.
func Record() *Recorder {
	r := &Recorder{seen: map[string]bool{}, before: slog.Default()}
	slog.SetDefault(slog.New(handler{r}))
	log.SetFlags(0)
	log.SetOutput(r)
	return r
}

// Stop ends the recording.
func (r *Recorder) Stop() {
	slog.SetDefault(r.before)
	log.SetOutput(os.Stderr)
}

func (r *Recorder) add(code, message string) {
	message = strings.TrimSpace(message)
	if message == "" || r.seen[message] || len(r.notices) == maxWarnings {
		return
	}
	r.seen[message] = true
	r.notices = append(r.notices, problem.Notice{Code: code, Message: message})
}

func (r *Recorder) Write(line []byte) (int, error) {
	r.add("warning", string(line))
	return len(line), nil
}

// Notices returns the warnings so far.
func (r *Recorder) Notices() []problem.Notice {
	return append([]problem.Notice{}, r.notices...)
}

// unknownHooks is the message of Helm for a document whose hook events it doesn't know. Helm leaves
// the document out.
const unknownHooks = "skipping unknown hooks"

type handler struct{ recorder *Recorder }

// Enabled accepts information, because unknown hooks are no warning for Helm.
func (handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (h handler) Handle(_ context.Context, record slog.Record) error {
	code := "warning"
	if record.Message == unknownHooks {
		code = "unknown-hook"
	} else if record.Level < slog.LevelWarn {
		return nil
	}
	var text strings.Builder
	text.WriteString(record.Message)
	record.Attrs(func(attribute slog.Attr) bool {
		text.WriteString(" " + attribute.String())
		return true
	})
	h.recorder.add(code, text.String())
	return nil
}

func (h handler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h handler) WithGroup(string) slog.Handler      { return h }
