// Package protocol defines the messages between the engine and its host: one JSON request, one JSON
// answer.
package protocol

import (
	"encoding/json"
	"fmt"

	"qvs/engine/evaluator"
	"qvs/host/source"
)

// Request is an operation with its arguments.
type Request struct {
	Op       string              `json:"op"`
	Roots    []evaluator.Root    `json:"roots"`
	Import   string              `json:"import"`
	Value    evaluator.Handle    `json:"value"`
	Other    evaluator.Handle    `json:"other"`
	Path     []string            `json:"path"`
	Fields   []evaluator.Sourced `json:"fields"`
	Concrete bool                `json:"concrete"`
	// Directories are the directories of each root.
	Directories [][]string `json:"folders"`
}

// Answer contains the result, the user's problems, or a fault of the engine.
type Answer struct {
	Result   any                 `json:"result,omitempty"`
	Problems []evaluator.Problem `json:"problems,omitempty"`
	Fault    string              `json:"fault,omitempty"`
}

// Engine answers requests for one tree of files.
type Engine struct {
	tree      source.Tree
	evaluator *evaluator.Evaluator
}

// New creates an engine. Its first request must be "open".
func New(tree source.Tree) *Engine { return &Engine{tree: tree} }

// Call never panics: a panic of CUE becomes a fault in the answer.
func (e *Engine) Call(request []byte) (answer []byte) {
	defer func() {
		if reason := recover(); reason != nil {
			answer = encode(Answer{Fault: fmt.Sprint(reason)})
		}
	}()
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return encode(Answer{Fault: "cannot read the request: " + err.Error()})
	}
	return encode(e.answer(r))
}

func (e *Engine) answer(r Request) Answer {
	if r.Op == "open" {
		opened, problems := evaluator.New(e.tree, r.Roots)
		e.evaluator = opened
		return Answer{Problems: problems}
	}
	if e.evaluator == nil {
		return Answer{Fault: "the first request must be open"}
	}
	return operate(e.evaluator, r)
}

func operate(e *evaluator.Evaluator, r Request) Answer {
	e.Tidy()
	switch r.Op {
	case "begin":
		e.Begin()
		return Answer{}
	case "load":
		value, problems := e.Load(r.Import)
		return Answer{Result: value, Problems: problems}
	case "lookup":
		return Answer{Result: e.Lookup(r.Value, r.Path)}
	case "bytes":
		return Answer{Result: e.Bytes(r.Value)}
	case "fields":
		return Answer{Result: e.Fields(r.Value)}
	case "elements":
		return Answer{Result: e.Elements(r.Value)}
	case "fill":
		return Answer{Result: e.Fill(r.Value, r.Path, r.Other)}
	case "unify":
		return Answer{Result: e.Unify(r.Value, r.Other)}
	case "struct":
		return Answer{Result: e.Struct(r.Fields)}
	case "validate":
		return Answer{Problems: e.Validate(r.Value, r.Concrete)}
	case "fault":
		return Answer{Result: e.Fault(r.Value)}
	case "same":
		return Answer{Result: e.Same(r.Value, r.Other)}
	case "export":
		value, problems := e.Export(r.Value)
		return Answer{Result: value, Problems: problems}
	case "position":
		return Answer{Result: e.Position(r.Value)}
	case "trace":
		return Answer{Result: e.Trace(r.Value, r.Other)}
	case "definition":
		return Answer{Result: e.Definition(r.Value)}
	case "describe":
		return Answer{Result: e.Describe(r.Import, r.Value)}
	case "adapters":
		return Answer{Result: e.Adapters(r.Directories)}
	case "files":
		return Answer{Result: e.Files()}
	case "strays":
		return Answer{Result: e.Strays()}
	case "asked":
		return Answer{Result: e.Asked()}
	case "notices":
		return Answer{Result: e.Notices()}
	}
	return Answer{Fault: "unknown operation " + r.Op}
}

func encode(answer Answer) []byte {
	text, err := json.Marshal(answer)
	if err != nil {
		text, _ = json.Marshal(Answer{Fault: err.Error()})
	}
	return text
}
