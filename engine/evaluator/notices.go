package evaluator

import "qvs/engine/loader"

// Notice is old syntax that was understood and should be replaced.
type Notice struct {
	Message  string   `json:"message"`
	Position Position `json:"position"`
}

// Notices lists the rewritten syntax of all loaded packages, once per place.
func (e *Evaluator) Notices() []Notice {
	notices := []Notice{}
	for _, rewrite := range e.loader.Rewrites(e.instances()...) {
		if position := positionOf(rewrite.Pos); position != nil {
			notices = append(notices, Notice{Message: rewrite.Message, Position: *position})
		}
	}
	return notices
}

// Strays lists the files next to the loaded packages that might belong to them.
func (e *Evaluator) Strays() []loader.Stray { return e.loader.Strays(e.instances()...) }
