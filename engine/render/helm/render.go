// Package helm renders charts like `helm template` of the version in go.mod.
package helm

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"qvs/host/source"
	"qvs/render/limits"
	"qvs/render/offline"
	"qvs/render/problem"
	"qvs/render/warnings"
)

// Request is HelmRequest of src/ports/render.ts.
type Request struct {
	Chart        string       `json:"chart"`
	Release      string       `json:"release"`
	Namespace    string       `json:"namespace"`
	Values       []ValuesText `json:"values"`
	Set          []SetValue   `json:"set"`
	Capabilities Capabilities `json:"capabilities"`
	IsUpgrade    bool         `json:"isUpgrade"`
	Revision     int          `json:"revision"`
	Chance
	Compare *Chance `json:"compare"`
}

// Chance decides about everything that the chart itself leaves open.
type Chance struct {
	Seed string `json:"seed"`
	// Clock is the time in milliseconds since 1970.
	Clock int64 `json:"clock"`
}

// Capabilities describe the cluster.
type Capabilities struct {
	KubeVersion string   `json:"kubeVersion"`
	APIVersions []string `json:"apiVersions"`
	Complete    bool     `json:"complete"`
}

// Result is RenderedChart of src/ports/render.ts.
type Result struct {
	Chart       Info             `json:"chart"`
	Manifests   []Manifest       `json:"manifests"`
	CRDs        []CRD            `json:"crds"`
	Hooks       []Hook           `json:"hooks"`
	Notes       string           `json:"notes"`
	Notices     []problem.Notice `json:"notices"`
	Differences []Difference     `json:"differences,omitzero"`
}

// Info names a chart.
type Info struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	AppVersion string `json:"appVersion"`
}

// Manifest is one document of a template.
type Manifest struct {
	Template string `json:"template"`
	Text     string `json:"text"`
}

// CRD is a file in crds/.
type CRD struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Hook is a manifest that Helm applies at an event.
type Hook struct {
	Manifest
	Kind           string   `json:"kind"`
	Name           string   `json:"name"`
	Events         []string `json:"events"`
	Weight         int      `json:"weight"`
	DeletePolicies []string `json:"deletePolicies"`
}

// Render renders a chart. The questions are complete also for a chart that can't be rendered. Its
// result then has the files in crds/, which other templates can ask for.
func Render(tree source.Tree, request Request) (result *Result, asked Asked, err error) {
	end := record()
	defer func() { asked = end() }()
	result, err = render(tree, request)
	return
}

func render(tree source.Tree, request Request) (*Result, error) {
	offline.Enter()
	logged := warnings.Record()
	defer logged.Stop()
	functions := newFunctions(request.Chance)
	result, err := renderOnce(tree, request, functions)
	if err != nil {
		return result, err
	}
	result.Notices = append(result.Notices, logged.Notices()...)
	switch {
	case request.Compare == nil:
	case !functions.chance:
		// The seed and the clock decide only through these functions, so a second rendering would
		// take the same steps.
		result.Differences = []Difference{}
	default:
		again, err := renderOnce(tree, request, newFunctions(*request.Compare))
		if err != nil {
			return again, err
		}
		result.Differences = compare(result, again)
	}
	return result, nil
}

// renderOnce loads the chart for each rendering, because rendering changes it.
func renderOnce(tree source.Tree, request Request, functions *functions) (*Result, error) {
	loaded, err := load(tree, request.Chart)
	if err != nil {
		return nil, err
	}
	values, err := readValues(request)
	if err != nil {
		return nil, err
	}
	if err := chartutil.ValidateReleaseName(request.Release); err != nil {
		return nil, fmt.Errorf("release name %q: %w", request.Release, err)
	}
	notices := nullNotices(loaded)
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return nil, fmt.Errorf("chart dependencies processing failed: %w", err)
	}
	unrendered := &Result{CRDs: crdsOf(loaded)}
	top, err := topValues(loaded, values, request)
	if err != nil {
		return unrendered, err
	}
	markLookups(loaded)
	rendered, err := engine.Engine{CustomTemplateFuncs: functions.overrides()}.Render(loaded, top)
	if err != nil {
		return unrendered, explain(err)
	}
	result, err := sortManifests(loaded, rendered)
	if err != nil {
		return unrendered, err
	}
	result.Notices = append(append(result.Notices, notices...), functions.notices...)
	return result, nil
}

// topValues checks the values, and returns the data of the templates.
func topValues(loaded *chart.Chart, values map[string]any, request Request) (common.Values, error) {
	capabilities, err := capabilitiesOf(request.Capabilities)
	if err != nil {
		return nil, err
	}
	needed := loaded.Metadata.KubeVersion
	recording.constraint = recording.constraint || needed != ""
	if needed != "" && !chartutil.IsCompatibleRange(needed, capabilities.KubeVersion.String()) {
		return nil, fmt.Errorf("chart requires kubeVersion: %s which is incompatible with Kubernetes %s",
			needed, capabilities.KubeVersion.Version)
	}
	options := common.ReleaseOptions{
		Name:      request.Release,
		Namespace: request.Namespace,
		Revision:  max(request.Revision, 1),
		IsInstall: !request.IsUpgrade,
		IsUpgrade: request.IsUpgrade,
	}
	top, err := util.ToRenderValuesWithSchemaValidation(loaded, values, options, capabilities, true)
	if err != nil {
		return nil, err
	}
	top["Capabilities"] = observed(capabilities)
	coalesced, _ := top["Values"].(common.Values)
	if err := checkSchemas(loaded, coalesced); err != nil {
		return nil, err
	}
	return top, nil
}

func capabilitiesOf(asked Capabilities) (*common.Capabilities, error) {
	capabilities := common.DefaultCapabilities.Copy()
	if asked.KubeVersion != "" {
		version, err := common.ParseKubeVersion(asked.KubeVersion)
		if err != nil {
			return nil, fmt.Errorf("invalid kube version %q: %w", asked.KubeVersion, err)
		}
		capabilities.KubeVersion = *version
	}
	var known common.VersionSet
	if !asked.Complete {
		known = append(known, capabilities.APIVersions...)
	}
	capabilities.APIVersions = append(known, asked.APIVersions...)
	return capabilities, nil
}

const notesFile = "NOTES.txt"

// sortManifests splits the rendered text like Helm does.
func sortManifests(loaded *chart.Chart, rendered map[string]string) (*Result, error) {
	size := 0
	notes := ""
	for name, text := range rendered {
		size += len(text)
		if !strings.HasSuffix(name, notesFile) {
			continue
		}
		if name == path.Join(loaded.Name(), "templates", notesFile) {
			notes = text
		}
		delete(rendered, name)
	}
	if size > limits.Output {
		return nil, limits.OutputExceeded(size)
	}
	hooks, manifests, err := releaseutil.SortManifests(rendered, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, err
	}
	metadata := loaded.Metadata
	result := &Result{
		Chart:     Info{metadata.Name, metadata.Version, metadata.AppVersion},
		Manifests: []Manifest{},
		CRDs:      crdsOf(loaded),
		Hooks:     []Hook{},
		Notes:     notes,
		Notices:   []problem.Notice{},
	}
	for _, each := range manifests {
		result.Manifests = append(result.Manifests, Manifest{each.Name, each.Content})
	}
	for _, each := range hooks {
		result.Hooks = append(result.Hooks, hookOf(each))
	}
	return result, nil
}

func crdsOf(loaded *chart.Chart) []CRD {
	found := []CRD{}
	for _, each := range loaded.CRDObjects() {
		found = append(found, CRD{each.Filename, string(each.File.Data)})
	}
	return found
}

func hookOf(hook *release.Hook) Hook {
	made := Hook{
		Manifest:       Manifest{hook.Path, hook.Manifest},
		Kind:           hook.Kind,
		Name:           hook.Name,
		Events:         []string{},
		Weight:         hook.Weight,
		DeletePolicies: []string{},
	}
	for _, event := range hook.Events {
		made.Events = append(made.Events, event.String())
	}
	for _, policy := range hook.DeletePolicies {
		made.DeletePolicies = append(made.DeletePolicies, policy.String())
	}
	return made
}

// explain finds the problem of a template function in the error of its template. Helm formats most
// errors as text.
func explain(err error) error {
	message := err.Error()
	found := problem.New(problem.Invalid, "%s", strings.ReplaceAll(message, limits.Mark, ""))
	var known *problem.Problem
	switch {
	case errors.As(err, &known):
		found.Code = known.Code
		found.Message = strings.ReplaceAll(known.Message, limits.Mark, "")
	case strings.Contains(message, limits.Mark),
		strings.Contains(message, "exceeded maximum template depth"),
		strings.Contains(message, "nested reference name"):
		found.Code = problem.Limit
	}
	found.At = placeIn(message)
	found.Message = shortened(found.Message)
	return found
}

// shortened leaves out the middle of a message: Helm repeats a recursion a thousand times.
func shortened(message string) string {
	const start, end = 1000, 500
	if len(message) <= start+end {
		return message
	}
	return message[:start] + " … " + message[len(message)-end:]
}

func (c Chance) time() time.Time { return time.UnixMilli(c.Clock).UTC() }
