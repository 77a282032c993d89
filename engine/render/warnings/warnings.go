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
	seen     map[string]bool
	messages []string
	before   *slog.Logger
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

func (r *Recorder) add(message string) {
	message = strings.TrimSpace(message)
	if message == "" || r.seen[message] || len(r.messages) == maxWarnings {
		return
	}
	r.seen[message] = true
	r.messages = append(r.messages, message)
}

func (r *Recorder) Write(line []byte) (int, error) {
	r.add(string(line))
	return len(line), nil
}

// Notices returns the warnings so far.
func (r *Recorder) Notices() []problem.Notice {
	notices := []problem.Notice{}
	for _, message := range r.messages {
		notices = append(notices, problem.Notice{Code: "warning", Message: message})
	}
	return notices
}

type handler struct{ recorder *Recorder }

func (handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (h handler) Handle(_ context.Context, record slog.Record) error {
	var text strings.Builder
	text.WriteString(record.Message)
	record.Attrs(func(attribute slog.Attr) bool {
		text.WriteString(" " + attribute.String())
		return true
	})
	h.recorder.add(text.String())
	return nil
}

func (h handler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h handler) WithGroup(string) slog.Handler      { return h }
