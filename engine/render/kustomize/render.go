// Package kustomize renders overlays.
package kustomize

import (
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"

	"qvs/host/source"
	"qvs/render/limits"
	"qvs/render/offline"
	"qvs/render/problem"
	"qvs/render/warnings"
)

// Request names the directory of a kustomization, and the addresses of the remote bases whose files
// the tree contains: those of the first are root 1.
type Request struct {
	Directory string   `json:"directory"`
	Bases     []string `json:"bases"`
	// Mark is a random text that no file contains. It keeps paths from leading to other roots.
	Mark string `json:"mark"`
	// Origins asks for the origin of each document. The host must compare the documents with those
	// of a request without it.
	Origins bool `json:"origins"`
	// isCheck is set for a build that only checks another one.
	isCheck bool
}

// Result has the documents of a build, or the remote bases that it needs.
type Result struct {
	Documents string           `json:"documents"`
	Notices   []problem.Notice `json:"notices"`
	Missing   []Base           `json:"missing"`
	// Origins is nil unless the request asks for it.
	Origins *Origins `json:"origins,omitempty"`
}

// Render builds a kustomization.
func Render(tree source.Tree, request Request) (Result, error) {
	offline.Enter()
	logged := warnings.Record()
	defer logged.Stop()
	if request.Mark == "" {
		return Result{}, problem.New(problem.Invalid, "the request has no mark")
	}
	files := hostFiles{tree, newBases(request), &loading{}}
	start := files.bases.absolute(0, request.Directory)
	followed := follow(files.bases)
	resources, err := followed.build(func() (resmap.ResMap, error) {
		return krusty.MakeKustomizer(options()).Run(files, start)
	})
	if problem := files.bases.finish(); problem != nil {
		return Result{}, problem
	}
	if missing := files.bases.missing; len(missing) > 0 {
		return Result{Notices: []problem.Notice{}, Missing: missing}, nil
	}
	if err != nil {
		return Result{}, files.explain(err)
	}
	origins, err := followed.list(resources)
	if err != nil {
		return Result{}, files.explain(err)
	}
	text, err := files.bases.text(resources)
	if err != nil {
		return Result{}, files.explain(err)
	}
	if files.bases.annotatesBases() {
		if err := checkCopies(tree, request, string(text)); err != nil {
			return Result{}, err
		}
	}
	if len(text) > limits.Output {
		return Result{}, limits.OutputExceeded(len(text))
	}
	return Result{string(text), logged.Notices(), []Base{}, origins}, nil
}

// checkCopies builds with another mark. If the documents differ, a replacement has copied a part of
// an annotation while it contained a path of the engine.
func checkCopies(tree source.Tree, request Request, documents string) error {
	if request.isCheck {
		return nil
	}
	request.isCheck, request.Origins = true, false
	request.Mark = strings.Map(nextDigit, request.Mark)
	if other, err := Render(tree, request); err == nil && other.Documents == documents {
		return nil
	}
	return problem.New(problem.Unsupported,
		"buildMetadata asks for the origin of objects of a remote base, and another field copies it")
}

// nextDigit returns another hexadecimal digit, so that no part of a mark stays the same.
func nextDigit(digit rune) rune {
	const digits = "0123456789abcdef"
	index := strings.IndexRune(digits, digit)
	if index < 0 {
		return digit
	}
	return rune(digits[(index+1)%len(digits)])
}

// options returns the options of `kustomize build`. Plugins stay disabled: they are programs.
func options() *krusty.Options {
	return &krusty.Options{
		Reorder:          krusty.ReorderOptionUnspecified,
		LoadRestrictions: types.LoadRestrictionsRootOnly,
		PluginConfig:     types.DisabledPluginConfig(),
	}
}

// explain finds the kind of an error by its message, because Kustomize has no types for errors.
func (h hostFiles) explain(err error) error {
	message := h.bases.showPaths(err.Error())
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(message, part) {
				return true
			}
		}
		return false
	}
	switch {
	case has(offline.Message, "no 'git' program on path", "URL is a git repository"):
		return problem.New(problem.Remote, "%s", message)
	case has("must specify --enable-helm", "external plugins disabled", "plugins disabled",
		"must specify --enable-alpha-plugins"):
		return problem.New(problem.Unsupported, "%s", message)
	default:
		return problem.New(problem.Invalid, "%s", message)
	}
}
