// Package schema names kinds.
package schema

import "strings"

// GroupVersion is a version of an API group. The group is empty for the core API.
type GroupVersion struct{ Group, Version string }

func (gv GroupVersion) String() string {
	if gv.Group == "" {
		return gv.Version
	}
	return gv.Group + "/" + gv.Version
}

// GroupVersionResource is a resource of a version.
type GroupVersionResource struct{ Group, Version, Resource string }

// GroupVersionKind is a kind of a version.
type GroupVersionKind struct{ Group, Version, Kind string }

// FromAPIVersionAndKind splits an API version.
func FromAPIVersionAndKind(apiVersion, kind string) GroupVersionKind {
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	return GroupVersionKind{group, version, kind}
}

// GroupVersion returns the version of the kind.
func (gvk GroupVersionKind) GroupVersion() GroupVersion {
	return GroupVersion{gvk.Group, gvk.Version}
}

func (gvk GroupVersionKind) String() string {
	return gvk.GroupVersion().String() + ", Kind=" + gvk.Kind
}
