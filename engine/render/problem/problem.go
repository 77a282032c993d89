// Package problem defines the errors and notices of a rendering.
package problem

import "fmt"

// Codes of problems, as in src/ports/render.ts.
const (
	Invalid     = "invalid"
	Limit       = "limit"
	Remote      = "remote"
	Unsupported = "unsupported"
)

// Place is a line of a file. Line is 0 if it isn't known.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Problem is an error of the user's files.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	At      *Place `json:"at,omitempty"`
}

func (p *Problem) Error() string { return p.Message }

// New makes a problem without a place.
func New(code, format string, values ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, values...)}
}

// Notice is a fact about a result that a user should know.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	At      *Place `json:"at,omitempty"`
}
