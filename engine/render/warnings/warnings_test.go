package warnings

import (
	"log/slog"
	"testing"
)

func TestUnknownHooksAreNoticed(t *testing.T) {
	recorder := Record()
	slog.Info("skipping unknown hooks", "hookTypes", "pre-instal")
	slog.Info("something else")
	slog.Warn("a warning")
	recorder.Stop()
	notices := recorder.Notices()
	if len(notices) != 2 || notices[0].Code != "unknown-hook" || notices[1].Code != "warning" {
		t.Errorf("found %v", notices)
	}
}
