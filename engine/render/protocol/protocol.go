// Package protocol defines the messages between the render engine and its host: one JSON request,
// one JSON answer.
package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"qvs/host/source"
	"qvs/render/helm"
	"qvs/render/kustomize"
	"qvs/render/limits"
	"qvs/render/problem"
)

// Request is an operation with its content.
type Request struct {
	Op        string            `json:"op"`
	Kustomize kustomize.Request `json:"kustomize"`
	Helm      helm.Request      `json:"helm"`
}

// Answer contains the result, the problems of the user's files, or a fault of the engine.
type Answer struct {
	Result   any                `json:"result,omitempty"`
	Problems []*problem.Problem `json:"problems,omitempty"`
	Fault    string             `json:"fault,omitempty"`
	// Asked are the questions of a chart about the cluster, with or without problems.
	Asked *helm.Asked `json:"asked,omitempty"`
	// CRDs are the files in crds/ of a chart with problems.
	CRDs []helm.CRD `json:"crds,omitempty"`
}

// Engine answers requests over one tree of files.
type Engine struct{ tree source.Tree }

// New creates an engine. Each request reads root 0 of the tree. Go ends the program when a
// recursion exceeds the limit: `tpl` has no limit of its own.
func New(tree source.Tree) *Engine {
	debug.SetMaxStack(limits.Stack)
	return &Engine{tree}
}

// Call never panics: a panic of a library becomes a problem, because only the user's files can
// cause it.
func (e *Engine) Call(request []byte) (answer []byte) {
	defer func() {
		if reason := recover(); reason != nil {
			answer = encode(failure(fmt.Errorf("%v", reason)))
		}
	}()
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return encode(Answer{Fault: "cannot read the request: " + err.Error()})
	}
	return encode(e.answer(r))
}

func (e *Engine) answer(r Request) Answer {
	var result any
	var asked *helm.Asked
	var crds []helm.CRD
	var err error
	switch r.Op {
	case "kustomize":
		result, err = kustomize.Render(e.tree, r.Kustomize)
	case "helm":
		rendered, questions, failed := helm.Render(e.tree, r.Helm)
		result, asked, err = rendered, &questions, failed
		if failed != nil && rendered != nil {
			crds = rendered.CRDs
		}
	default:
		return Answer{Fault: "unknown operation " + r.Op}
	}
	if err != nil {
		answer := failure(err)
		answer.Asked, answer.CRDs = asked, crds
		return answer
	}
	return Answer{Result: result, Asked: asked}
}

func failure(err error) Answer {
	var known *problem.Problem
	if !errors.As(err, &known) {
		known = problem.New(problem.Invalid, "%s", err)
	}
	return Answer{Problems: []*problem.Problem{known}}
}

func encode(answer Answer) []byte {
	text, err := json.Marshal(answer)
	if err != nil {
		text, _ = json.Marshal(Answer{Fault: err.Error()})
	}
	return text
}
