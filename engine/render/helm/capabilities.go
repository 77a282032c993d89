package helm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"helm.sh/helm/v4/pkg/chart/common"
)

// Asked lists what the templates of a chart read of `.Capabilities`. Everything else of the cluster
// leaves the rendered objects as they are.
type Asked struct {
	// KubeVersion is true if a template reads the version of Kubernetes.
	KubeVersion bool `json:"kubeVersion"`
	// Constraint is true if Chart.yaml limits the version. It decides whether the chart is rendered,
	// and leaves the objects as they are.
	Constraint bool `json:"constraint"`
	// APIVersions are the arguments of `.Capabilities.APIVersions.Has`, with the answers.
	APIVersions map[string]bool `json:"apiVersions"`
	// All is true if a template read the list of the API versions itself.
	All bool `json:"all"`
}

// recorder notes the questions of all renderings of one request.
type recorder struct {
	kubeVersion bool
	constraint  bool
	all         bool
	apiVersions map[string]bool
	// read contains each list that a template got, and whether it called `Has` of it.
	read map[*string]bool
}

// recording is the recorder of the current request. A request renders alone, and templates copy
// values with `deepCopy`, so the values can't contain it.
var recording *recorder

// record starts a recording. The result ends it, and returns what was asked.
func record() (end func() Asked) {
	before := recording
	current := &recorder{apiVersions: map[string]bool{}, read: map[*string]bool{}}
	recording = current
	return func() Asked {
		recording = before
		for _, isOnlySearched := range current.read {
			current.all = current.all || !isOnlySearched
		}
		return Asked{current.kubeVersion, current.constraint, current.apiVersions, current.all}
	}
}

// maxAsked is the maximum number of questions. After it, the whole list counts as read.
const maxAsked = 500

// maxLength is longer than the name of any group, version and kind.
const maxLength = 500

func (r *recorder) ask(apiVersion string, found bool) {
	if len(apiVersion) > maxLength {
		return
	}
	if len(r.apiVersions) < maxAsked {
		r.apiVersions[apiVersion] = found
	} else if _, known := r.apiVersions[apiVersion]; !known {
		r.all = true
	}
}

// capabilities are the value of `.Capabilities`. Its methods have the names of Helm's fields, so
// templates call them like fields.
type capabilities struct {
	HelmVersion any
	// Known contains Helm's own value. Only exported fields survive `deepCopy`.
	Known *common.Capabilities
}

func observed(known *common.Capabilities) *capabilities {
	return &capabilities{HelmVersion: known.HelmVersion, Known: known}
}

// KubeVersion returns Helm's own field. A template unwraps the reflect.Value, and gets a struct
// with an address, as with a field. A copy would lack the methods of its pointer, and a pointer
// would print differently.
func (c *capabilities) KubeVersion() reflect.Value {
	recording.kubeVersion = true
	return reflect.ValueOf(&c.Known.KubeVersion).Elem()
}

// APIVersions returns another list in each call, so that its address identifies the call.
func (c *capabilities) APIVersions() versionSet {
	known := c.Known.APIVersions
	list := append(make(versionSet, 0, len(known)+1), known...)
	recording.read[unsafe.SliceData(list)] = false
	return list
}

// MarshalJSON makes `toYaml` and `toJson` print Helm's own value.
func (c *capabilities) MarshalJSON() ([]byte, error) {
	recording.kubeVersion, recording.all = true, true
	return json.Marshal(c.Known)
}

// Format prints Helm's own value. The address of `Known` would differ in each rendering.
func (c capabilities) Format(state fmt.State, verb rune) {
	recording.kubeVersion, recording.all = true, true
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), *c.Known)
}

// versionSet is Helm's VersionSet, which notes the searched API versions.
type versionSet []string

// Has reports whether the set contains an API version.
func (v versionSet) Has(apiVersion string) bool {
	found := slices.Contains(v, apiVersion)
	recording.ask(apiVersion, found)
	if _, known := recording.read[unsafe.SliceData(v)]; known {
		recording.read[unsafe.SliceData(v)] = true
	}
	return found
}
