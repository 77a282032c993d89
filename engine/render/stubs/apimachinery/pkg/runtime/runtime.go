// Package runtime declares the type of a field of Helm's releases, which the engine doesn't fill.
package runtime

// Object is a Kubernetes object.
type Object interface{}
