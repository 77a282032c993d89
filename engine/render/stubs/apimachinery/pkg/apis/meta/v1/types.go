// Package v1 declares the types that Helm's lookup names.
package v1

// GetOptions has no options.
type GetOptions struct{}

// ListOptions has no options.
type ListOptions struct{}

// APIResource is a kind that a cluster serves.
type APIResource struct {
	Name       string
	Namespaced bool
	Group      string
	Version    string
	Kind       string
}

// APIResourceList is all kinds of a group version.
type APIResourceList struct {
	APIResources []APIResource
}
