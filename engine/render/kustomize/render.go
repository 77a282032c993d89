// Package kustomize renders overlays.
package kustomize

import (
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"

	"qvs/host/source"
	"qvs/render/limits"
	"qvs/render/offline"
	"qvs/render/problem"
	"qvs/render/warnings"
)

// Request names the directory of a kustomization.
type Request struct {
	Directory string `json:"directory"`
}

// Result has the documents of a build.
type Result struct {
	Documents string           `json:"documents"`
	Notices   []problem.Notice `json:"notices"`
}

// Render builds a kustomization.
func Render(tree source.Tree, request Request) (Result, error) {
	offline.Enter()
	logged := warnings.Record()
	defer logged.Stop()
	directory := path.Join(root, request.Directory)
	resources, err := krusty.MakeKustomizer(options()).Run(hostFiles{tree}, directory)
	if err != nil {
		return Result{}, explain(err)
	}
	text, err := resources.AsYaml()
	if err != nil {
		return Result{}, explain(err)
	}
	if len(text) > limits.Output {
		return Result{}, limits.OutputExceeded(len(text))
	}
	return Result{Documents: string(text), Notices: logged.Notices()}, nil
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
func explain(err error) error {
	message := strings.ReplaceAll(err.Error(), "'"+root, "'")
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
